/**
 * The server's state as the client follows it: the registration response, kept current by the shared `applyEvent`. Parts
 * that did not change keep their identity, so a reader of one part is notified of changes to that part only.
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { applyEvent } from "@skein/api/apply-event.ts";
import type { Event } from "@skein/api/events.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";

const emptyState: FollowedState = { user_id: -1 };

const followed = signal<FollowedState>(emptyState);

/** Whether there is anything to show yet. */
export const isReady = computed(() => followed.value !== emptyState);

export const ownId = computed(() => followed.value.user_id);

export function replaceState(state: FollowedState): void {
  followed.value = state;
}

export function follow(event: Event): void {
  followed.value = applyEvent(followed.peek(), event);
}

const parts = new Map<string, ReadonlySignal<unknown>>();

/** One part of the state, by its wire name. Undefined until it is known. */
export function part<K extends keyof FollowedState>(name: K): ReadonlySignal<FollowedState[K]> {
  let known = parts.get(name);
  if (known === undefined) {
    known = computed(() => followed.value[name]);
    parts.set(name, known);
  }
  return known as ReadonlySignal<FollowedState[K]>; // created for this very name
}
