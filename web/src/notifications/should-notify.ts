/** Whether a message should cause a desktop notification, by the reader's settings. */
import type { Message } from "../store/messages.ts";
import { findChannel } from "../store/channels.ts";
import { topicConversation } from "../store/conversations.ts";
import { isMutedPerson } from "../store/muted-people.ts";
import { ownId, part } from "../store/state.ts";
import { isFollowed, isMuted } from "../store/visibility.ts";

export type Reason = "direct" | "mention" | "followed" | "channel";

/** Undefined: no notification. */
export function reasonToNotify(message: Message): Reason | undefined {
  const settings = part("user_settings").peek();
  if (!settings || message.sender_id === ownId.peek() || message.flags.includes("read")) return undefined;
  if (isMutedPerson(message.sender_id)) return undefined;
  if (message.stream_id === undefined) return settings.enable_desktop_notifications ? "direct" : undefined;
  const topic = topicConversation(message.stream_id, message.subject);
  const followed = isFollowed(topic);
  if (message.flags.includes("mentioned") && settings.enable_desktop_notifications) return "mention";
  if (message.flags.includes("has_alert_word") && settings.enable_desktop_notifications) return "mention";
  const isForAll = message.flags.some((flag) => flag.endsWith("wildcard_mentioned"));
  const notifiesWildcards = followed
    ? settings.enable_followed_topic_wildcard_mentions_notify
    : (findChannel(message.stream_id)?.wildcard_mentions_notify ?? settings.wildcard_mentions_notify);
  if (isForAll && notifiesWildcards && !isMuted(topic) && settings.enable_desktop_notifications) return "mention";
  if (followed) return settings.enable_followed_topic_desktop_notifications ? "followed" : undefined;
  if (isMuted(topic)) return undefined;
  const wanted = findChannel(message.stream_id)?.desktop_notifications ?? settings.enable_stream_desktop_notifications;
  return wanted ? "channel" : undefined;
}
