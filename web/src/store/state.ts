/**
 * The server's state as the client follows it: the registration response, kept current by the shared `applyEvent`. What is
 * shown is that state with the user's pending operations on top (pending.ts). Parts that did not change keep their identity,
 * so a reader of one part is notified of changes to that part only.
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { applyEvent } from "@skein/api/apply-event.ts";
import type { Event } from "@skein/api/events.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import { pending, withPending } from "./pending.ts";

const emptyState: FollowedState = { user_id: -1 };

const confirmed = signal<FollowedState>(emptyState);
const shown = computed(() => withPending(confirmed.value, pending.value));

/** Whether there is anything to show yet. */
export const isReady = computed(() => confirmed.value !== emptyState);

export const ownId = computed(() => confirmed.value.user_id);

export function replaceState(state: FollowedState): void {
  confirmed.value = state;
}

/** Applies an event from the server. */
export function follow(event: Event): void {
  confirmed.value = applyEvent(confirmed.peek(), event);
}

const parts = new Map<string, ReadonlySignal<unknown>>();

/** One part of the state, by its wire name. Undefined until it is known. */
export function part<K extends keyof FollowedState>(name: K): ReadonlySignal<FollowedState[K]> {
  let known = parts.get(name);
  if (known === undefined) {
    known = computed(() => shown.value[name]);
    parts.set(name, known);
  }
  return known as ReadonlySignal<FollowedState[K]>; // created for this very name
}
