/** The sort orders of lists in the registration response. */
import type { Draft } from "../drafts.ts";
import type { ScheduledMessage } from "../scheduled-messages.ts";
import type { UserTopic } from "../user-topics.ts";

export const newestFirst = (a: Draft, b: Draft): number => b.timestamp - a.timestamp || b.id - a.id;

/** Soonest first. */
export const byDelivery = (a: ScheduledMessage, b: ScheduledMessage): number =>
  a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp || a.scheduled_message_id - b.scheduled_message_id;

type Placed = Pick<UserTopic, "stream_id" | "topic_name">;

export const byPlace = (a: Placed, b: Placed): number => {
  if (a.stream_id !== b.stream_id) return a.stream_id - b.stream_id;
  if (a.topic_name === b.topic_name) return 0;
  return a.topic_name < b.topic_name ? -1 : 1;
};
