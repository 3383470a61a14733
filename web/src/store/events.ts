/** All events enter the client here, one poll response at a time. */
import { batch } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import { applyToLists } from "./lists.ts";
import { applyToMessages, nameLocally } from "./messages.ts";
import { follow } from "./state.ts";
import { applyToTyping } from "./typing.ts";

type Listener = (event: Event) => void;
const listeners = new Set<Listener>();

/** For things that are not state: the outbox, notices, announcements. Listeners run after all state has changed. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Returns whether everything was applied. An exception from one event or listener is reported and does not stop the
 * others.
 */
export function applyEvents(events: readonly Event[]): boolean {
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
