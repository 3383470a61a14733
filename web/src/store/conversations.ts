/** A conversation is a topic in a channel, or direct messages among a set of people. */
import type { DeliveredMessage } from "@skein/api/messages.ts";
import type { Narrow } from "./narrow.ts";
import { isRecord } from "./storage.ts";

export interface TopicConversation {
  readonly kind: "topic";
  readonly channelId: number;
  readonly topic: string;
}

export interface DirectConversation {
  readonly kind: "direct";
  /** The other participants' ids, ascending; empty for the user's own notes. */
  readonly userIds: readonly number[];
}

export type Conversation = TopicConversation | DirectConversation;

export const topicConversation = (channelId: number, topic: string): TopicConversation => ({
  kind: "topic",
  channelId,
  topic,
});

export const directConversation = (people: readonly number[], ownId: number): DirectConversation => ({
  kind: "direct",
  userIds: [...new Set(people)].filter((id) => id !== ownId).toSorted((a, b) => a - b),
});

/** Validates data stored in the browser, possibly by another release. */
export const isConversation = (value: unknown): value is Conversation =>
  isRecord(value) &&
  (value["kind"] === "topic"
    ? typeof value["channelId"] === "number" && typeof value["topic"] === "string"
    : value["kind"] === "direct" && Array.isArray(value["userIds"]));

/** Two conversations are the same if and only if their keys are equal. Topic names are case-insensitive. */
export const conversationKey = (conversation: Conversation): string =>
  conversation.kind === "topic"
    ? `topic:${conversation.channelId}:${conversation.topic.toLowerCase()}`
    : `direct:${conversation.userIds.join()}`;

export const isSameConversation = (a: Conversation, b: Conversation): boolean =>
  conversationKey(a) === conversationKey(b);

export const narrowOf = (conversation: Conversation, ownId: number): Narrow =>
  conversation.kind === "topic"
    ? [
        { operator: "channel", operand: conversation.channelId },
        { operator: "topic", operand: conversation.topic },
      ]
    : [{ operator: "dm", operand: conversation.userIds.length === 0 ? [ownId] : [...conversation.userIds] }];

type Addressed = Pick<DeliveredMessage, "stream_id" | "subject" | "display_recipient">;

export function conversationOf(message: Addressed, ownId: number): Conversation {
  if (message.stream_id !== undefined) return topicConversation(message.stream_id, message.subject);
  const people = typeof message.display_recipient === "string" ? [] : message.display_recipient;
  return directConversation(
    people.map(({ id }) => id),
    ownId,
  );
}
