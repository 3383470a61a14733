/**
 * THE rule that decides whether a user is notified of a message, by which method, and why. It knows nothing about delivery.
 * It is evaluated when a message is processed, and again just before a notification is sent.
 *
 * The triggers have the protocol's names, where it has one; the first that applies wins. Mail and mobile devices follow their
 * own settings; browsers follow those for desktop notifications.
 */
import type { SettingName, UserSettings } from "@skein/api/settings.ts";
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import { settingOf } from "../people/settings/state.ts";

export type DeliveryMethod = "mail" | "mobile" | "web";
export const deliveryMethods: readonly DeliveryMethod[] = ["mail", "mobile", "web"];

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

/** What the decision depends on, for one message and one possible reader. */
export interface Facts {
  is_sender: boolean;
  is_bot: boolean;
  is_active: boolean;
  /** The welcome message causes no notification: newcomers see it when they sign in. */
  is_greeting: boolean;
  /** By the access rule for messages. */
  is_readable: boolean;
  /** Also true for messages from users whom the reader has muted, and for messages that the reader did not receive. */
  is_read: boolean;
  is_direct: boolean;
  mentioned: boolean;
  topic_wildcard_mentioned: boolean;
  stream_wildcard_mentioned: boolean;
  has_alert_word: boolean;
  /** The reader's settings for the channel: whether it is muted, and overrides of the notification settings. */
  is_muted: boolean | null;
  email_notifications: boolean | null;
  push_notifications: boolean | null;
  desktop_notifications: boolean | null;
  wildcard_mentions_notify: boolean | null;
  /** The reader's policy for the topic. */
  visibility_policy: number | null;
  /** The reader's settings, as stored. */
  settings: unknown;
  /** Active on some client a moment ago. */
  is_present: boolean;
  /** The organization's setting. */
  message_content_allowed_in_email_notifications: boolean;
}

export interface Due {
  trigger: Trigger;
  /** If false, the notification waits until the reader is away, and is then checked again. */
  isNow: boolean;
  /** Whether the notification may show the message's text. */
  showsContent: boolean;
}

export type Notifications = Partial<Record<DeliveryMethod, Due>>;

export function notificationsDue(facts: Facts): Notifications {
  const isConcerned =
    !facts.is_sender && !facts.is_bot && facts.is_active && !facts.is_greeting && facts.is_readable && !facts.is_read;
  if (!isConcerned) return {};
  const due: Notifications = {};
  for (const method of deliveryMethods) {
    const trigger = triggerFor(method, facts);
    if (trigger) due[method] = { trigger, isNow: isNow(method, facts), showsContent: showsContent(method, facts) };
  }
  return due;
}

type BooleanSetting = { [K in SettingName]: UserSettings[K] extends boolean ? K : never }[SettingName];

interface MethodSettings {
  /** For direct messages and mentions. */
  personal: BooleanSetting;
  followed: BooleanSetting;
  channel: BooleanSetting;
  /** The subscription's override. */
  subscription: "email_notifications" | "push_notifications" | "desktop_notifications";
  followedTrigger: Trigger;
  channelTrigger: Trigger;
  alertWords: boolean;
}

const methodSettings: Record<DeliveryMethod, MethodSettings> = {
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

function triggerFor(method: DeliveryMethod, facts: Facts): Trigger | undefined {
  const { personal, followed, channel, subscription, followedTrigger, channelTrigger, alertWords } =
    methodSettings[method];
  const isEnabled = (name: BooleanSetting) => settingOf(facts, name);
  const isFollowed = facts.visibility_policy === visibilityPolicies.followed;
  if (isEnabled(personal)) {
    if (facts.is_direct) return "direct_message";
    if (facts.mentioned) return "mentioned";
    const wildcard = wildcardOf(facts);
    if (wildcard && isFollowed && isEnabled("enable_followed_topic_wildcard_mentions_notify"))
      return `${wildcard}_in_followed_topic`;
    if (wildcard && isUnmuted(facts) && (facts.wildcard_mentions_notify ?? isEnabled("wildcard_mentions_notify")))
      return wildcard;
  }
  if (isFollowed && isEnabled(followed)) return followedTrigger;
  if (!facts.is_direct && isUnmuted(facts) && (facts[subscription] ?? isEnabled(channel))) return channelTrigger;
  return alertWords && facts.has_alert_word && isUnmuted(facts) && isEnabled(personal) ? "has_alert_word" : undefined;
}

function wildcardOf(facts: Facts): "topic_wildcard_mentioned" | "stream_wildcard_mentioned" | undefined {
  if (facts.topic_wildcard_mentioned) return "topic_wildcard_mentioned";
  return facts.stream_wildcard_mentioned ? "stream_wildcard_mentioned" : undefined;
}

/** Whether the reader has not muted the conversation. Personal mentions and followed topics notify even if it is muted. */
function isUnmuted({ is_muted, visibility_policy }: Facts): boolean {
  if (visibility_policy === visibilityPolicies.muted) return false;
  return !(is_muted ?? false) || visibility_policy === visibilityPolicies.unmuted;
}

const isNow = (method: DeliveryMethod, facts: Facts): boolean =>
  !facts.is_present || (method !== "mail" && settingOf(facts, "enable_online_push_notifications"));

function showsContent(method: DeliveryMethod, facts: Facts): boolean {
  switch (method) {
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
