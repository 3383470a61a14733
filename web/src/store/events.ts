/** All events enter the client here, one poll response at a time, and so do the user's pending operations. */
import { batch } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import { applyToLists, showPendingInLists } from "./lists.ts";
import { applyToMessages, nameLocally, showPendingOn } from "./messages.ts";
import { confirm, eventTimeout, messagesOf, notPassed, pending, type Operation } from "./pending.ts";
import { follow, replaceState } from "./state.ts";
import { applyToTyping } from "./typing.ts";

type Listener = (event: Event) => void;
const listeners = new Set<Listener>();

/** For things that are not state: the outbox, notices, announcements. Listeners run after all state has changed. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Applies events from the server, with the time at which they were requested. Returns whether everything was applied: an
 * exception from one event or listener is reported and does not stop the others.
 */
export function applyEvents(events: readonly Event[], requestedAt = -Infinity): boolean {
  let isExact = true;
  const attempt = (run: () => void): void => {
    try {
      run();
    } catch (error) {
      isExact = false;
      reportError(error);
    }
  };
  // Effects run at the end of the batch and may throw too.
  attempt(() =>
    batch(() => {
      let left = pending.peek();
      for (const event of events)
        attempt(() => {
          left = confirm(left, event);
        });
      attempt(() => setPending(notPassed(left, requestedAt - eventTimeout)));
      for (const event of events) attempt(() => follow(event));
      for (const event of events) {
        attempt(() => applyBesideState(event));
        for (const listener of listeners) attempt(() => listener(event));
      }
    }),
  );
  return isExact;
}

function applyBesideState(event: Event): void {
  // A message keeps the row it was written in.
  if (event.type === "message" && event.local_message_id !== undefined)
    nameLocally(event.message.id, event.local_message_id);
  applyToMessages(event);
  applyToLists(event);
  applyToTyping(event);
}

/** Replaces the state by one that was requested at this time: it includes what was accepted before. */
export function applyRegistration(state: FollowedState, requestedAt: number): void {
  batch(() => {
    replaceState(state);
    setPending(notPassed(pending.peek(), requestedAt));
  });
}

export const addOperation = (operation: Operation): void => setPending([...pending.peek(), operation]);

export const isPending = (id: number): boolean => pending.peek().some((each) => each.id === id);

/** Replaces the expected event of an operation that was not sent yet. */
export const amendOperation = (id: number, event: Operation["event"]): void =>
  setPending(pending.peek().map((each) => (each.id === id ? { ...each, event } : each)));

/** Ends an operation that failed. One that an event has confirmed before is done. */
export function failOperation(id: number, error: unknown): void {
  const failed = pending.peek().find((each) => each.id === id);
  if (!failed) return;
  setPending(
    pending.peek().filter((each) => each !== failed),
    error,
  );
}

function setPending(next: readonly Operation[], error?: unknown): void {
  const last = pending.peek();
  if (next === last) return;
  const changed = [...new Set(last).symmetricDifference(new Set(next))];
  batch(() => {
    pending.value = next;
    showPendingOn(changed.flatMap(({ event }) => messagesOf(event)));
    if (changed.some(({ event }) => event.type === "update_message_flags" && event.flag === "starred"))
      showPendingInLists();
    const ids = new Set(next.map(({ id }) => id));
    for (const { id, onEnd } of last) if (!ids.has(id)) onEnd(error);
  });
}
