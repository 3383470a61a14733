/** Whether a message should cause a desktop notification or a sound, by the reader's settings. */
import type { Message } from "../store/messages.ts";
import { findChannel } from "../store/channels.ts";
import { topicConversation } from "../store/conversations.ts";
import { isMutedPerson } from "../store/muted-people.ts";
import { ownId, part } from "../store/state.ts";
import { isFollowed, isMuted } from "../store/visibility.ts";

export type Reason = "direct" | "mention" | "followed" | "channel";

export type Means = "desktop" | "sound";

/** The settings for each reason. A channel may override its own. */
const settingsFor = {
  desktop: {
    direct: "enable_desktop_notifications",
    followed: "enable_followed_topic_desktop_notifications",
    channel: "enable_stream_desktop_notifications",
    override: "desktop_notifications",
  },
  sound: {
    direct: "enable_sounds",
    followed: "enable_followed_topic_audible_notifications",
    channel: "enable_stream_audible_notifications",
    override: "audible_notifications",
  },
} as const;

/** Undefined: no notification. */
export function reasonToNotify(message: Message, by: Means = "desktop"): Reason | undefined {
  const settings = part("user_settings").peek();
  if (!settings || message.sender_id === ownId.peek() || message.flags.includes("read")) return undefined;
  if (isMutedPerson(message.sender_id)) return undefined;
  const names = settingsFor[by];
  if (message.stream_id === undefined) return settings[names.direct] ? "direct" : undefined;
  const topic = topicConversation(message.stream_id, message.subject);
  const channel = findChannel(message.stream_id);
  const followed = isFollowed(topic);
  if (message.flags.includes("mentioned") && settings[names.direct]) return "mention";
  if (message.flags.includes("has_alert_word") && settings[names.direct]) return "mention";
  const isForAll = message.flags.some((flag) => flag.endsWith("wildcard_mentioned"));
  const notifiesWildcards = followed
    ? settings.enable_followed_topic_wildcard_mentions_notify
    : (channel?.wildcard_mentions_notify ?? settings.wildcard_mentions_notify);
  if (isForAll && notifiesWildcards && !isMuted(topic) && settings[names.direct]) return "mention";
  if (followed) return settings[names.followed] ? "followed" : undefined;
  if (isMuted(topic)) return undefined;
  return (channel?.[names.override] ?? settings[names.channel]) ? "channel" : undefined;
}
