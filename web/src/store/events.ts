/** Events reach all who keep something by this one door, a poll's answer at a time. */
import { batch } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import { applyToLists } from "./lists.ts";
import { applyToMessages, nameLocally } from "./messages.ts";
import { follow } from "./state.ts";
import { applyToTyping } from "./typing.ts";

type Listener = (event: Event) => void;
const listeners = new Set<Listener>();

/** For what is not state: the outbox, notices, announcements. Called after everything has changed. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function applyEvents(events: readonly Event[]): void {
  batch(() => {
    follow(events);
    for (const event of events) {
      // A message keeps the row it was written in.
      if (event.type === "message" && event.local_message_id !== undefined)
        nameLocally(event.message.id, event.local_message_id);
      applyToMessages(event);
      applyToLists(event);
      applyToTyping(event);
      for (const listener of listeners) listener(event);
    }
  });
}
