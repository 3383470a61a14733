/**
 * Collects all events that several queues have received so far. An event that all of them get marks the end, so a missing
 * event was never sent.
 */
import { randomBytes } from "node:crypto";
import type { QueuedEvent } from "@skein/api/events.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { success, type TestQueue, type TestRealm } from "./realm.ts";

export type SentEvent = Omit<QueuedEvent, "id">;

/** The queues must include `stream` or `subscription` events. */
export async function eventsUntilNow(realm: TestRealm, queues: TestQueue[]): Promise<SentEvent[][]> {
  const name = `mark ${randomBytes(6).toString("hex")}`;
  const principals = [...new Set(queues.map((queue) => queue.user.id))];
  success(await realm.admin.call(subscribe, { subscriptions: [{ name }], principals }));
  return Promise.all(queues.map((queue) => eventsBefore(queue, name)));
}

async function eventsBefore(queue: TestQueue, name: string): Promise<SentEvent[]> {
  const events: SentEvent[] = [];
  for (;;) {
    const event = await queue.next();
    if (JSON.stringify(event).includes(name)) return events;
    events.push(event);
  }
}
