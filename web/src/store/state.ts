/**
 * The server's state as the client follows it: the registration answer, brought up to date by the shared `applyEvent`.
 * Parts that did not change keep their identity, so whoever reads a part hears of its own changes alone.
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { applyEvent } from "@skein/api/apply-event.ts";
import type { Event } from "@skein/api/events.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";

const nobody: FollowedState = { user_id: -1 };

const followed = signal<FollowedState>(nobody);

/** Whether there is anything to show yet. */
export const isReady = computed(() => followed.value !== nobody);

export const ownId = computed(() => followed.value.user_id);

export function replaceState(state: FollowedState): void {
  followed.value = state;
}

export function follow(events: readonly Event[]): void {
  followed.value = events.reduce((state, event) => applyEvent(state, event), followed.peek());
}

const parts = new Map<string, ReadonlySignal<unknown>>();

/** One part of the state, by its name on the wire. Undefined while it is not known. */
export function part<K extends keyof FollowedState>(name: K): ReadonlySignal<FollowedState[K]> {
  let known = parts.get(name);
  if (known === undefined) {
    known = computed(() => followed.value[name]);
    parts.set(name, known);
  }
  return known as ReadonlySignal<FollowedState[K]>; // made for this very name
}
