import { beforeEach, expect, test } from "vitest";
import type { UserSettings } from "@skein/api/settings.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import type { Message } from "../store/messages.ts";
import { replaceState } from "../store/state.ts";
import { iconWithCount } from "./icon-with-count.ts";
import { reasonToNotify } from "./should-notify.ts";

const settings = {
  enable_desktop_notifications: true,
  enable_stream_desktop_notifications: false,
  enable_followed_topic_desktop_notifications: true,
  enable_followed_topic_wildcard_mentions_notify: true,
  wildcard_mentions_notify: true,
};

const reader = (changed: Partial<UserSettings> = {}, more: Partial<FollowedState> = {}): void =>
  replaceState({
    user_id: 5,
    user_settings: { ...settings, ...changed } as never, // the fields in use
    subscriptions: [{ stream_id: 7, name: "design", desktop_notifications: null, is_muted: false }] as never, // as above
    ...more,
  });

const message = (about: Partial<Message> = {}): Message =>
  ({ id: 1, sender_id: 6, stream_id: 7, subject: "logo", flags: [], ...about }) as Message; // as above

const direct = (): Message => {
  const { stream_id: _channel, ...rest } = message();
  return rest;
};

const policy = (visibility_policy: 1 | 3): Partial<FollowedState> => ({
  user_topics: [{ stream_id: 7, topic_name: "logo", last_updated: 1, visibility_policy }],
});

beforeEach(() => reader());

test("direct messages and mentions notify, other messages do not", () => {
  expect(reasonToNotify(direct())).toBe("direct");
  expect(reasonToNotify(message({ flags: ["mentioned"] }))).toBe("mention");
  expect(reasonToNotify(message())).toBeUndefined();

  reader({ enable_desktop_notifications: false });
  expect(reasonToNotify(direct())).toBeUndefined();
  expect(reasonToNotify(message({ flags: ["mentioned"] }))).toBeUndefined();
});

test("users are not notified of their own or read messages, or of muted people", () => {
  expect(reasonToNotify(message({ sender_id: 5, flags: ["mentioned"] }))).toBeUndefined();
  expect(reasonToNotify(message({ flags: ["mentioned", "read"] }))).toBeUndefined();

  reader({}, { muted_users: [{ id: 6, timestamp: 1 }] });
  expect(reasonToNotify(direct())).toBeUndefined();
});

test("followed topics notify, muted ones do not unless the reader is mentioned", () => {
  reader({}, policy(3));
  expect(reasonToNotify(message())).toBe("followed");

  reader({ enable_stream_desktop_notifications: true }, policy(1));
  expect(reasonToNotify(message())).toBeUndefined();
  expect(reasonToNotify(message({ flags: ["stream_wildcard_mentioned"] }))).toBeUndefined();
  expect(reasonToNotify(message({ flags: ["mentioned"] }))).toBe("mention");
});

test("a channel's own setting overrides the general one", () => {
  const channel = (desktop_notifications: boolean | null): Partial<FollowedState> => ({
    subscriptions: [{ stream_id: 7, name: "design", desktop_notifications, is_muted: false }] as never, // as above
  });
  reader({}, channel(true));
  expect(reasonToNotify(message())).toBe("channel");
  reader({ enable_stream_desktop_notifications: true }, channel(false));
  expect(reasonToNotify(message())).toBeUndefined();
});

test("sounds have their own settings, for channels too", () => {
  const sounds = { enable_sounds: true, enable_stream_audible_notifications: false };
  const audible = (audible_notifications: boolean | null): Partial<FollowedState> => ({
    subscriptions: [{ stream_id: 7, name: "design", audible_notifications, is_muted: false }] as never, // as above
  });
  reader({ enable_desktop_notifications: false, ...sounds });
  expect(reasonToNotify(direct())).toBeUndefined();
  expect(reasonToNotify(direct(), "sound")).toBe("direct");
  expect(reasonToNotify(message(), "sound")).toBeUndefined();

  reader(sounds, audible(true));
  expect(reasonToNotify(message(), "sound")).toBe("channel");
});

test("the icon shows a number while there is something unread", () => {
  expect(iconWithCount(0)).toBe("/icon.svg");
  expect(decodeURIComponent(iconWithCount(3))).toContain(">3</text>");
  expect(decodeURIComponent(iconWithCount(1234))).toContain(">99+</text>");
});
