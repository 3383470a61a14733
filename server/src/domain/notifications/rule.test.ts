import type { UserSettings } from "@skein/api/settings.ts";
import { expect, test } from "vitest";
import { notificationsDue, deliveryMethods, type Facts } from "./rule.ts";

/** A user who is away, in a channel with default settings, and a message that does not mention them. */
const plain: Facts = {
  is_sender: false,
  is_bot: false,
  is_active: true,
  is_greeting: false,
  is_readable: true,
  is_read: false,
  is_direct: false,
  mentioned: false,
  topic_wildcard_mentioned: false,
  stream_wildcard_mentioned: false,
  has_alert_word: false,
  is_muted: false,
  email_notifications: null,
  push_notifications: null,
  desktop_notifications: null,
  wildcard_mentions_notify: null,
  visibility_policy: null,
  settings: {},
  is_present: false,
  message_content_allowed_in_email_notifications: true,
};

const direct: Partial<Facts> = { is_direct: true, is_muted: null };
const mentioned: Partial<Facts> = { mentioned: true };
const everybody: Partial<Facts> = { stream_wildcard_mentioned: true };
const participants: Partial<Facts> = { topic_wildcard_mentioned: true };
const alerted: Partial<Facts> = { has_alert_word: true };
const mutedChannel: Partial<Facts> = { is_muted: true };
const [muted, unmuted, followed] = [1, 2, 3].map((visibility_policy): Partial<Facts> => ({ visibility_policy }));

const set = (settings: Partial<UserSettings>): Partial<Facts> => ({ settings });
const personalOff = set({
  enable_offline_email_notifications: false,
  enable_offline_push_notifications: false,
  enable_desktop_notifications: false,
});
const channelsOn = set({
  enable_stream_email_notifications: true,
  enable_stream_push_notifications: true,
  enable_stream_desktop_notifications: true,
});
const followedOff = set({
  enable_followed_topic_email_notifications: false,
  enable_followed_topic_push_notifications: false,
  enable_followed_topic_desktop_notifications: false,
});
const subscribed = (on: boolean): Partial<Facts> => ({
  email_notifications: on,
  push_notifications: on,
  desktop_notifications: on,
});

/** The triggers for mail, mobile and web. */
type Why = [mail: string | undefined, mobile: string | undefined, web: string | undefined];
const allWays = (why: string): Why => [why, why, why];
const byName = (what: string): Why => [`${what}_email_notify`, `${what}_push_notify`, `${what}_desktop_notify`];
const nothing: Why = [undefined, undefined, undefined];

test.for<[string, (Partial<Facts> | undefined)[], Why]>([
  ["a message in a channel", [], nothing],
  ["a direct message", [direct], allWays("direct_message")],
  ["a direct message that mentions", [direct, mentioned], allWays("direct_message")],
  ["a direct message, personal settings off", [direct, personalOff], nothing],
  [
    "a direct message, channels on, personal settings off",
    [direct, { settings: { ...(personalOff.settings as object), ...(channelsOn.settings as object) } }],
    nothing,
  ],
  ["a mention", [mentioned], allWays("mentioned")],
  ["a mention, personal settings off", [mentioned, personalOff], nothing],
  ["a mention in a muted channel", [mentioned, mutedChannel], allWays("mentioned")],
  ["a mention in a muted topic", [mentioned, muted], allWays("mentioned")],
  ["a mention of everybody", [everybody], allWays("stream_wildcard_mentioned")],
  ["a mention of a topic's participants", [participants], allWays("topic_wildcard_mentioned")],
  ["both of these", [everybody, participants], allWays("topic_wildcard_mentioned")],
  ["everybody, personal settings off", [everybody, personalOff], nothing],
  ["everybody, not wanted", [everybody, set({ wildcard_mentions_notify: false })], nothing],
  ["everybody, not wanted in this channel", [everybody, { wildcard_mentions_notify: false }], nothing],
  [
    "everybody, wanted only in this channel",
    [everybody, set({ wildcard_mentions_notify: false }), { wildcard_mentions_notify: true }],
    allWays("stream_wildcard_mentioned"),
  ],
  ["everybody in a muted channel", [everybody, mutedChannel], nothing],
  ["everybody in a muted topic", [everybody, muted], nothing],
  [
    "everybody in an unmuted topic of a muted channel",
    [everybody, mutedChannel, unmuted],
    allWays("stream_wildcard_mentioned"),
  ],
  ["everybody in a followed topic", [everybody, followed], allWays("stream_wildcard_mentioned_in_followed_topic")],
  [
    "everybody in a followed topic of a muted channel",
    [everybody, mutedChannel, followed],
    allWays("stream_wildcard_mentioned_in_followed_topic"),
  ],
  ["participants of a followed topic", [participants, followed], allWays("topic_wildcard_mentioned_in_followed_topic")],
  [
    "everybody in a followed topic, not wanted there",
    [everybody, followed, set({ enable_followed_topic_wildcard_mentions_notify: false })],
    allWays("stream_wildcard_mentioned"),
  ],
  [
    "everybody in a followed topic, personal settings off",
    [everybody, followed, personalOff],
    byName("followed_topic"),
  ],
  ["a followed topic", [followed], byName("followed_topic")],
  ["a followed topic, not wanted", [followed, followedOff], nothing],
  ["a followed topic of a muted channel", [followed, mutedChannel], byName("followed_topic")],
  ["a followed topic, personal settings off", [followed, personalOff], byName("followed_topic")],
  ["a followed topic, not wanted, in a channel that is", [followed, followedOff, subscribed(true)], byName("stream")],
  ["a channel, all channels wanted", [channelsOn], byName("stream")],
  ["a channel, all wanted but this one", [channelsOn, subscribed(false)], nothing],
  ["a channel, this one wanted", [subscribed(true)], byName("stream")],
  ["a channel, wanted only by mail", [{ email_notifications: true }], ["stream_email_notify", undefined, undefined]],
  ["a channel, wanted only on phones", [{ push_notifications: true }], [undefined, "stream_push_notify", undefined]],
  ["a wanted channel that is muted", [channelsOn, mutedChannel], nothing],
  ["a muted topic of a wanted channel", [channelsOn, muted], nothing],
  ["an unmuted topic of a wanted channel that is muted", [channelsOn, mutedChannel, unmuted], byName("stream")],
  ["an unmuted topic", [unmuted], nothing],
  ["an alert word", [alerted], [undefined, undefined, "has_alert_word"]],
  ["an alert word in a muted topic", [alerted, muted], nothing],
  ["an alert word, desktop notifications off", [alerted, personalOff], nothing],
  ["the user's own message", [mentioned, { is_sender: true }], nothing],
  ["a message for a bot", [direct, { is_bot: true }], nothing],
  ["a message for a deactivated user", [direct, { is_active: false }], nothing],
  ["a greeting", [direct, { is_greeting: true }], nothing],
  ["a message that was read, or whose sender is muted", [direct, { is_read: true }], nothing],
  ["a message that may not be read", [mentioned, { is_readable: false }], nothing],
])("%s", ([, facts, expected]) => {
  const due = notificationsDue(Object.assign({}, plain, ...facts));
  expect(deliveryMethods.map((method) => due[method]?.trigger)).toEqual(expected);
});

test("mail waits until its reader is away; devices only if the reader wants that", () => {
  const isNow = (facts: Partial<Facts>) => {
    const due = notificationsDue({ ...plain, ...direct, ...facts });
    return deliveryMethods.map((method) => due[method]?.isNow);
  };
  expect(isNow({})).toEqual([true, true, true]);
  expect(isNow({ is_present: true })).toEqual([false, true, true]);
  expect(isNow({ is_present: true, ...set({ enable_online_push_notifications: false }) })).toEqual([
    false,
    false,
    false,
  ]);
  expect(isNow(set({ enable_online_push_notifications: false }))).toEqual([true, true, true]);
});

test("the text is hidden if the organization or the reader wants that", () => {
  const shows = (...facts: Partial<Facts>[]) => {
    const due = notificationsDue(Object.assign({}, plain, mentioned, ...facts));
    return deliveryMethods.map((method) => due[method]?.showsContent);
  };
  expect(shows()).toEqual([true, true, true]);
  expect(shows({ message_content_allowed_in_email_notifications: false })).toEqual([false, true, true]);
  expect(shows(set({ message_content_in_email_notifications: false }))).toEqual([false, true, true]);
  expect(shows(set({ pm_content_in_desktop_notifications: false }))).toEqual([true, true, true]);
  expect(shows(direct, set({ pm_content_in_desktop_notifications: false }))).toEqual([true, true, false]);
});
