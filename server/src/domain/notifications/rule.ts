/**
 * THE rule of what somebody is told about a message while they are not looking: by which way, and why. It knows nothing
 * of how anybody is reached. It is asked when a message is found, and again when what it said is about to go out.
 *
 * The names of the reasons are those of the protocol, where it has one; the first that holds counts. Mail and mobile
 * devices follow the settings made for them; browsers follow those for desktop notifications, which is what they show.
 */
import type { SettingName, UserSettings } from "@skein/api/settings.ts";
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import { settingOf } from "../settings/state.ts";

export type Way = "mail" | "mobile" | "web";
export const ways: readonly Way[] = ["mail", "mobile", "web"];

export type Trigger =
  | "direct_message"
  | "mentioned"
  | "topic_wildcard_mentioned_in_followed_topic"
  | "stream_wildcard_mentioned_in_followed_topic"
  | "topic_wildcard_mentioned"
  | "stream_wildcard_mentioned"
  | `followed_topic_${"email" | "push" | "desktop"}_notify`
  | `stream_${"email" | "push" | "desktop"}_notify`
  | "has_alert_word";

/** What decides about a message and somebody it may concern. */
export interface Facts {
  is_sender: boolean;
  is_bot: boolean;
  is_active: boolean;
  /** Nobody is to be told by other ways of what greets them when they come. */
  is_greeting: boolean;
  /** By the rule for access to messages. */
  is_readable: boolean;
  /** Also what somebody wrote whom the reader has muted, and what the reader was not sent. */
  is_read: boolean;
  is_direct: boolean;
  mentioned: boolean;
  topic_wildcard_mentioned: boolean;
  stream_wildcard_mentioned: boolean;
  has_alert_word: boolean;
  /** What the reader chose for the channel: whether it is muted, and what of the settings it has of its own. */
  is_muted: boolean | null;
  email_notifications: boolean | null;
  push_notifications: boolean | null;
  desktop_notifications: boolean | null;
  wildcard_mentions_notify: boolean | null;
  /** What the reader chose for the topic. */
  visibility_policy: number | null;
  /** The reader's own, as they are stored. */
  settings: unknown;
  /** Active on some client a moment ago. */
  is_present: boolean;
  /** Of the organization. */
  message_content_allowed_in_email_notifications: boolean;
}

export interface Due {
  trigger: Trigger;
  /** Otherwise when the reader is away, if it still holds by then. */
  isNow: boolean;
  /** Whether the text may be shown. */
  showsContent: boolean;
}

export type Notifications = Partial<Record<Way, Due>>;

export function notificationsDue(facts: Facts): Notifications {
  const isConcerned =
    !facts.is_sender && !facts.is_bot && facts.is_active && !facts.is_greeting && facts.is_readable && !facts.is_read;
  if (!isConcerned) return {};
  const due: Notifications = {};
  for (const way of ways) {
    const trigger = triggerFor(way, facts);
    if (trigger) due[way] = { trigger, isNow: isNow(way, facts), showsContent: showsContent(way, facts) };
  }
  return due;
}

type YesNo = { [K in SettingName]: UserSettings[K] extends boolean ? K : never }[SettingName];

interface Choices {
  /** For direct messages and mentions. */
  personal: YesNo;
  followed: YesNo;
  channel: YesNo;
  /** The subscription's own. */
  subscription: "email_notifications" | "push_notifications" | "desktop_notifications";
  followedTrigger: Trigger;
  channelTrigger: Trigger;
  alertWords: boolean;
}

const choices: Record<Way, Choices> = {
  mail: {
    personal: "enable_offline_email_notifications",
    followed: "enable_followed_topic_email_notifications",
    channel: "enable_stream_email_notifications",
    subscription: "email_notifications",
    followedTrigger: "followed_topic_email_notify",
    channelTrigger: "stream_email_notify",
    alertWords: false,
  },
  mobile: {
    personal: "enable_offline_push_notifications",
    followed: "enable_followed_topic_push_notifications",
    channel: "enable_stream_push_notifications",
    subscription: "push_notifications",
    followedTrigger: "followed_topic_push_notify",
    channelTrigger: "stream_push_notify",
    alertWords: false,
  },
  web: {
    personal: "enable_desktop_notifications",
    followed: "enable_followed_topic_desktop_notifications",
    channel: "enable_stream_desktop_notifications",
    subscription: "desktop_notifications",
    followedTrigger: "followed_topic_desktop_notify",
    channelTrigger: "stream_desktop_notify",
    alertWords: true,
  },
};

function triggerFor(way: Way, facts: Facts): Trigger | undefined {
  const { personal, followed, channel, subscription, followedTrigger, channelTrigger, alertWords } = choices[way];
  const wants = (name: YesNo) => settingOf(facts, name);
  const isFollowed = facts.visibility_policy === visibilityPolicies.followed;
  if (wants(personal)) {
    if (facts.is_direct) return "direct_message";
    if (facts.mentioned) return "mentioned";
    const wildcard = wildcardOf(facts);
    if (wildcard && isFollowed && wants("enable_followed_topic_wildcard_mentions_notify"))
      return `${wildcard}_in_followed_topic`;
    if (wildcard && isHeard(facts) && (facts.wildcard_mentions_notify ?? wants("wildcard_mentions_notify")))
      return wildcard;
  }
  if (isFollowed && wants(followed)) return followedTrigger;
  if (!facts.is_direct && isHeard(facts) && (facts[subscription] ?? wants(channel))) return channelTrigger;
  return alertWords && facts.has_alert_word && isHeard(facts) && wants(personal) ? "has_alert_word" : undefined;
}

function wildcardOf(facts: Facts): "topic_wildcard_mentioned" | "stream_wildcard_mentioned" | undefined {
  if (facts.topic_wildcard_mentioned) return "topic_wildcard_mentioned";
  return facts.stream_wildcard_mentioned ? "stream_wildcard_mentioned" : undefined;
}

/** Whether the reader has not muted where the message is. Being mentioned by name, and following, do not ask for it. */
function isHeard({ is_muted, visibility_policy }: Facts): boolean {
  if (visibility_policy === visibilityPolicies.muted) return false;
  return !(is_muted ?? false) || visibility_policy === visibilityPolicies.unmuted;
}

const isNow = (way: Way, facts: Facts): boolean =>
  !facts.is_present || (way !== "mail" && settingOf(facts, "enable_online_push_notifications"));

function showsContent(way: Way, facts: Facts): boolean {
  switch (way) {
    case "mail":
      return (
        facts.message_content_allowed_in_email_notifications &&
        settingOf(facts, "message_content_in_email_notifications")
      );
    case "web":
      return !facts.is_direct || settingOf(facts, "pm_content_in_desktop_notifications");
    case "mobile":
      return true;
  }
}
