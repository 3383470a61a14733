/** A conversation is a topic of a channel, or a set of people who write to each other. */
import type { DeliveredMessage } from "@skein/api/messages.ts";
import type { Narrow } from "./narrow.ts";

export interface TopicConversation {
  readonly kind: "topic";
  readonly channelId: number;
  readonly topic: string;
}

export interface DirectConversation {
  readonly kind: "direct";
  /** The others, ascending; nobody for notes to oneself. */
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

/** Two conversations are the same exactly when their keys are. Case makes no other topic. */
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
