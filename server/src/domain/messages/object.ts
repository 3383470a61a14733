/**
 * How a message looks to a reader. Every response, event and webhook that carries a message builds it here, from one
 * plain source that can itself be stored in the log; readers differ only in the form they requested.
 */
import type { TopicLink } from "../../markdown/topic-links.ts";
import type { DeliveredMessage } from "@skein/api/messages.ts";
import type { Reaction } from "@skein/api/reactions.ts";
import type { Submessage } from "@skein/api/submessages.ts";
import { placeholderEmail } from "../people/users/email.ts";
import { unknownUserAvatarUrl, unknownUserName } from "../people/users/queries.ts";
import { shownTopic } from "../channels/topics/name.ts";

export interface MessageSource {
  id: number;
  sender: MessageSender;
  /** The name of the client it was sent with. */
  client: string;
  conversation: { id: number; channel: { name: string } } | { id: number; parties: Party[] };
  /** Empty for direct messages. */
  topic: string;
  /** Links the linkifiers found in the topic; absent when there are none. */
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
  /** The e-mail address other accounts see, which need not be the real one. */
  email: string;
  full_name: string;
  realm_str: string;
  avatar_url: string;
  /** Whether a client can compute the avatar's URL from `email`. */
  is_avatar_computable: boolean;
}

/** A participant of a direct conversation. */
export interface Party {
  id: number;
  email: string;
  full_name: string;
}

/** What a reader gets instead of a sender they may not see. `host` is the organization's. */
export const asUnknownUser = ({ id, realm_str }: MessageSender, host: string): MessageSender => ({
  id,
  email: placeholderEmail(id, host),
  full_name: unknownUserName,
  realm_str,
  avatar_url: unknownUserAvatarUrl,
  is_avatar_computable: false,
});

/** The form the reader requested; a queue's options are one. */
export interface MessageForm {
  apply_markdown: boolean;
  client_gravatar: boolean;
  empty_topic_name: boolean;
}

/** The message without the reader's own data (flags) and without later changes (edits). */
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
