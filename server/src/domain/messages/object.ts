/**
 * How a message looks to a reader. Every answer, event and webhook that carries a message shapes it here, from one
 * plain source that can itself travel in the log; what differs between readers is the form they asked for.
 */
import type { TopicLink } from "../../markdown/topic-links.ts";
import { emptyTopicDisplayName, type DeliveredMessage } from "@skein/api/messages.ts";
import type { Reaction } from "@skein/api/reactions.ts";
import type { Submessage } from "@skein/api/submessages.ts";

export interface MessageSource {
  id: number;
  sender: MessageSender;
  /** The name of the program it was sent with. */
  client: string;
  conversation: { id: number; channel: { name: string } } | { id: number; parties: Party[] };
  /** Empty for direct messages. */
  topic: string;
  /** Those the linkifiers found in the topic; absent when there are none. */
  topic_links?: TopicLink[];
  content: string;
  rendered_content: string;
  is_me_message: boolean;
  /** Absent when there are none. */
  reactions?: Reaction[];
  submessages?: Omit<Submessage, "message_id">[];
  timestamp: number;
}

export interface MessageSender {
  id: number;
  /** The address other accounts know the sender by, which need not be the real one. */
  email: string;
  full_name: string;
  realm_str: string;
  avatar_url: string;
  /** Whether a client can compute the avatar's address from `email`. */
  is_avatar_computable: boolean;
}

/** Somebody who takes part in a direct conversation. */
export interface Party {
  id: number;
  email: string;
  full_name: string;
}

/** What the reader asked for; the options of a queue are such a form. */
export interface MessageForm {
  apply_markdown: boolean;
  client_gravatar: boolean;
  empty_topic_name: boolean;
}

/** The message without what is the reader's own (flags) and without what happened to it later (edits). */
export function messageFields(source: MessageSource, form: MessageForm): DeliveredMessage {
  const { sender, conversation } = source;
  return {
    id: source.id,
    ...("channel" in conversation
      ? { type: "stream", display_recipient: conversation.channel.name, stream_id: conversation.id }
      : { type: "private", display_recipient: conversation.parties.map(toRecipient) }),
    recipient_id: conversation.id,
    subject: "channel" in conversation ? shownTopic(source.topic, form) : "",
    topic_links: source.topic_links ?? [],
    sender_id: sender.id,
    sender_email: sender.email,
    sender_full_name: sender.full_name,
    sender_realm_str: sender.realm_str,
    avatar_url: form.client_gravatar && sender.is_avatar_computable ? null : sender.avatar_url,
    client: source.client,
    content: form.apply_markdown ? source.rendered_content : source.content,
    content_type: form.apply_markdown ? "text/html" : "text/x-markdown",
    is_me_message: source.is_me_message,
    timestamp: source.timestamp,
    reactions: source.reactions ?? [],
    submessages: (source.submessages ?? []).map((part) => ({ ...part, message_id: source.id })),
  };
}

const toRecipient = ({ id, email, full_name }: Party) => ({ id, email, full_name, is_mirror_dummy: false });

/** The topic as a client sees it that may not know of empty ones. */
export const shownTopic = (topic: string, form: { empty_topic_name: boolean }): string =>
  topic === "" && !form.empty_topic_name ? emptyTopicDisplayName : topic;

export const toTimestamp = (time: Date): number => Math.floor(time.getTime() / 1000);
