import { expect, test } from "vitest";
import { applyEvent } from "./apply-event.ts";
import type { PlainChannel } from "./channels.ts";
import type { Event } from "./events.ts";
import type { DeliveredMessage } from "./messages.ts";
import type { FollowedState } from "./state/followed-state.ts";
import type { SubscriptionObject } from "./subscriptions.ts";
import type { RegisteredUser } from "./users.ts";

const me = 10;

const user = (user_id: number, fields: Partial<RegisteredUser> = {}): RegisteredUser => ({
  user_id,
  delivery_email: null,
  email: `user${user_id}@example.com`,
  full_name: `User ${user_id}`,
  date_joined: "2025-01-01T00:00+00:00",
  is_owner: false,
  is_admin: false,
  is_guest: false,
  is_bot: false,
  bot_type: null,
  is_imported_stub: false,
  role: 400,
  timezone: "",
  avatar_url: null,
  avatar_version: 1,
  ...fields,
});

const channel = (stream_id: number): PlainChannel => ({
  stream_id,
  name: `channel ${stream_id}`,
  description: "",
  rendered_description: "",
  date_created: 0,
  creator_id: null,
  invite_only: false,
  is_web_public: false,
  is_archived: false,
  is_recently_active: true,
  is_announcement_only: false,
  stream_post_policy: 1,
  message_retention_days: null,
  history_public_to_subscribers: true,
  first_message_id: null,
  stream_weekly_traffic: null,
  subscriber_count: 0,
  topics_policy: "inherit",
  folder_id: null,
  can_add_subscribers_group: 1,
  can_administer_channel_group: 1,
  can_create_topic_group: 1,
  can_delete_any_message_group: 1,
  can_delete_own_message_group: 1,
  can_move_messages_out_of_channel_group: 1,
  can_move_messages_within_channel_group: 1,
  can_remove_subscribers_group: 1,
  can_resolve_topics_group: 1,
  can_send_message_group: 1,
  can_subscribe_group: 1,
});

const subscription = (stream_id: number, fields: Partial<SubscriptionObject> = {}): SubscriptionObject => ({
  ...channel(stream_id),
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
  pin_to_top: false,
  is_muted: false,
  in_home_view: true,
  color: "#76ce90",
  ...fields,
});

const nothingUnread = { count: 0, pms: [], streams: [], huddles: [], mentions: [], old_unreads_missing: false };

const message = (id: number, fields: Partial<DeliveredMessage>): DeliveredMessage => ({
  id,
  type: "stream",
  sender_id: 11,
  sender_email: "user11@example.com",
  sender_full_name: "User 11",
  sender_realm_str: "",
  client: "test",
  content: "",
  content_type: "text/html",
  display_recipient: "channel 5",
  recipient_id: 5,
  subject: "lunch",
  topic_links: [],
  is_me_message: false,
  timestamp: 0,
  reactions: [],
  submessages: [],
  avatar_url: null,
  ...fields,
});

const among = (...ids: number[]): Partial<DeliveredMessage> => ({
  type: "private",
  subject: "",
  display_recipient: ids.map((id) => ({ id, email: "", full_name: "", is_mirror_dummy: false })),
});

const received = (delivered: DeliveredMessage, flags: string[] = []): Event => ({
  type: "message",
  message: delivered,
  flags,
});

const flagged = (flag: "read" | "starred", messages: number[]): Event => ({
  type: "update_message_flags",
  op: "add",
  operation: "add",
  flag,
  messages,
  all: false,
});

const follow = (state: Partial<FollowedState>, ...events: Event[]): FollowedState =>
  events.reduce((next, event) => applyEvent(next, event, { include_subscribers: true }), { user_id: me, ...state });

test("parts that were not requested stay absent", () => {
  const before: FollowedState = { user_id: me };

  const after = follow(
    before,
    received(message(1, { stream_id: 5 })),
    flagged("starred", [1]),
    { type: "stream", op: "create", streams: [channel(5)] },
    { type: "realm_user", op: "add", person: { ...user(11), is_active: true } },
    { type: "realm", op: "update", property: "name", value: "New" },
    { type: "heartbeat" },
  );

  expect(after).toEqual(before);
});

test("nothing is changed in place", () => {
  const before: FollowedState = {
    user_id: me,
    realm_users: [user(me)],
    subscriptions: [subscription(5, { subscribers: [me] })],
    unread_msgs: nothingUnread,
  };
  const copy = structuredClone(before);

  follow(
    before,
    received(message(1, { stream_id: 5 })),
    { type: "subscription", op: "peer_add", stream_ids: [5], user_ids: [11] },
    { type: "realm_user", op: "update", person: { user_id: me, full_name: "New" } },
  );

  expect(before).toEqual(copy);
});

test("users are added and changed, and stay in order", () => {
  const { realm_users } = follow(
    { realm_users: [user(me), user(12)] },
    { type: "realm_user", op: "add", person: { ...user(11), is_active: true } },
    { type: "realm_user", op: "update", person: { user_id: 11, role: 200 } },
    { type: "realm_user", op: "update", person: { user_id: 12, new_email: "x@example.com" } },
  );

  expect(realm_users).toEqual([
    user(me),
    user(11, { role: 200, is_admin: true }),
    user(12, { email: "x@example.com" }),
  ]);
});

test("a deactivated user leaves lists, groups and channels, and returns only to the list when reactivated", () => {
  const group = {
    id: 1,
    name: "g",
    description: "",
    creator_id: null,
    date_created: null,
    members: [me, 11],
    direct_subgroup_ids: [],
    is_system_group: false,
    deactivated: false,
    managed_by: null,
    can_add_members_group: 1,
    can_join_group: 1,
    can_leave_group: 1,
    can_manage_group: 1,
    can_mention_group: 1,
    can_remove_members_group: 1,
  };
  const before = {
    realm_users: [user(me), user(11)],
    realm_non_active_users: [],
    realm_user_groups: [group],
    subscriptions: [subscription(5, { subscribers: [me, 11] })],
  };
  const off: Event = { type: "realm_user", op: "update", person: { user_id: 11, is_active: false } };
  const on: Event = { type: "realm_user", op: "update", person: { user_id: 11, is_active: true } };

  const gone = follow(before, off);
  const back = follow(gone, on);

  expect(gone).toMatchObject({
    realm_users: [{ user_id: me }],
    realm_non_active_users: [{ user_id: 11 }],
    realm_user_groups: [{ members: [me] }],
    subscriptions: [{ subscribers: [me] }],
  });
  expect(back).toMatchObject({ realm_users: [{ user_id: me }, { user_id: 11 }], realm_non_active_users: [] });
});

test("the user's own account changes in both places", () => {
  const state = follow(
    {
      full_name: "Old",
      is_owner: false,
      is_admin: false,
      is_guest: false,
      is_moderator: false,
      realm_users: [user(me)],
    },
    { type: "realm_user", op: "update", person: { user_id: me, full_name: "New" } },
    { type: "realm_user", op: "update", person: { user_id: me, role: 300 } },
  );

  expect(state).toMatchObject({ full_name: "New", is_moderator: true, is_admin: false });
  expect(state.realm_users).toEqual([user(me, { full_name: "New", role: 300 })]);
});

test("a channel is created, subscribed to, unsubscribed from and deleted", () => {
  const empty = { streams: [], subscriptions: [], unsubscribed: [], never_subscribed: [] };
  const mine = subscription(5, { subscribers: [me, 11], subscriber_count: 2 });

  const created = follow(
    empty,
    { type: "stream", op: "create", streams: [channel(5)] },
    { type: "subscription", op: "peer_add", stream_ids: [5], user_ids: [11] },
  );
  const joined = follow(created, { type: "subscription", op: "add", subscriptions: [mine] });
  const left = follow(joined, {
    type: "subscription",
    op: "remove",
    subscriptions: [{ stream_id: 5, name: "channel 5" }],
  });
  const gone = follow(left, { type: "stream", op: "delete", stream_ids: [5], streams: [{ stream_id: 5 }] });

  const user_id = me;
  expect(created).toEqual({
    ...empty,
    user_id,
    streams: [{ ...channel(5), subscriber_count: 1 }],
    never_subscribed: [{ ...channel(5), subscribers: [11], subscriber_count: 1 }],
  });
  const both = { ...channel(5), subscriber_count: 2 };
  expect(joined).toEqual({ ...empty, user_id, streams: [both], subscriptions: [mine] });
  expect(left).toEqual({
    ...empty,
    user_id,
    streams: [{ ...channel(5), subscriber_count: 1 }],
    unsubscribed: [subscription(5, { subscribers: [11], subscriber_count: 1 })],
  });
  expect(gone).toEqual({ ...empty, user_id });
});

test("a changed channel is updated in every list", () => {
  const state = follow(
    { streams: [channel(5)], subscriptions: [subscription(5)] },
    {
      type: "stream",
      op: "update",
      stream_id: 5,
      name: "channel 5",
      property: "description",
      value: "*new*",
      rendered_description: "<em>new</em>",
    },
  );

  const changed = { description: "*new*", rendered_description: "<em>new</em>" };
  expect(state.streams).toEqual([{ ...channel(5), ...changed }]);
  expect(state.subscriptions).toEqual([subscription(5, changed)]);
});

test("unread messages are counted in their conversation", () => {
  const { unread_msgs, max_message_id } = follow(
    { unread_msgs: nothingUnread, max_message_id: -1 },
    received(message(1, { stream_id: 5, subject: "lunch" })),
    received(message(2, { stream_id: 5, subject: "dinner" }), ["mentioned"]),
    received(message(3, { stream_id: 5, subject: "lunch" })),
    received(message(4, among(me, 11))),
    received(message(5, among(12, me, 11))),
    received(message(6, among(me))),
    received(message(7, { stream_id: 5 }), ["read"]),
  );

  expect(max_message_id).toBe(7);
  expect(unread_msgs).toEqual({
    count: 6,
    pms: [
      { other_user_id: me, sender_id: me, unread_message_ids: [6] },
      { other_user_id: 11, sender_id: 11, unread_message_ids: [4] },
    ],
    streams: [
      { stream_id: 5, topic: "dinner", unread_message_ids: [2] },
      { stream_id: 5, topic: "lunch", unread_message_ids: [1, 3] },
    ],
    huddles: [{ user_ids_string: "10,11,12", unread_message_ids: [5] }],
    mentions: [2],
    old_unreads_missing: false,
  });
});

test("direct conversations are listed most recent first", () => {
  const { recent_private_conversations } = follow(
    { recent_private_conversations: [{ user_ids: [11], max_message_id: 1 }] },
    received(message(2, among(me, 12, 11))),
    received(message(3, among(11, me)), ["read"]),
  );

  expect(recent_private_conversations).toEqual([
    { user_ids: [11], max_message_id: 3 },
    { user_ids: [11, 12], max_message_id: 2 },
  ]);
});

test("marking messages as read, unread and starred updates the state", () => {
  const state = follow(
    { unread_msgs: nothingUnread, starred_messages: [9] },
    received(message(1, { stream_id: 5 }), ["mentioned"]),
    flagged("read", [1]),
    {
      type: "update_message_flags",
      op: "remove",
      operation: "remove",
      flag: "read",
      messages: [2, 3],
      all: false,
      message_details: {
        2: { type: "stream", stream_id: 5, topic: "lunch", mentioned: true, unmuted_stream_msg: true },
        3: { type: "private", user_ids: [11, 12] },
      },
    },
    flagged("starred", [4]),
    { type: "update_message_flags", op: "remove", operation: "remove", flag: "starred", messages: [9], all: false },
  );

  expect(state.starred_messages).toEqual([4]);
  expect(state.unread_msgs).toEqual({
    ...nothingUnread,
    count: 2,
    streams: [{ stream_id: 5, topic: "lunch", unread_message_ids: [2] }],
    huddles: [{ user_ids_string: "10,11,12", unread_message_ids: [3] }],
    mentions: [2],
  });
});

test("muted channels do not count, and leaving a channel marks it as read", () => {
  const before = { subscriptions: [subscription(5)], unsubscribed: [], unread_msgs: nothingUnread };
  const mute: Event = { type: "subscription", op: "update", stream_id: 5, property: "is_muted", value: true };

  const muted = follow(before, received(message(1, { stream_id: 5 })), mute);
  const left = follow(muted, {
    type: "subscription",
    op: "remove",
    subscriptions: [{ stream_id: 5, name: "channel 5" }],
  });

  expect(muted.unread_msgs).toMatchObject({ count: 0, streams: [{ unread_message_ids: [1] }] });
  expect(left.unread_msgs).toEqual(nothingUnread);
});

test("a topic's setting overrides that of its channel, regardless of case", () => {
  const before = {
    subscriptions: [subscription(5), subscription(6, { is_muted: true })],
    user_topics: [],
    unread_msgs: nothingUnread,
  };
  const choose = (stream_id: number, topic_name: string, visibility_policy: 0 | 1 | 2 | 3): Event => ({
    type: "user_topic",
    stream_id,
    topic_name,
    last_updated: 0,
    visibility_policy,
  });
  const toAll = ["stream_wildcard_mentioned" as const];

  const chosen = follow(
    before,
    received(message(1, { stream_id: 5, subject: "lunch" })),
    received(message(2, { stream_id: 6, subject: "lunch" })),
    choose(5, "Lunch", 1),
    choose(6, "Lunch", 3),
    received(message(3, { stream_id: 5, subject: "lunch" }), toAll),
    received(message(4, { stream_id: 6, subject: "lunch" }), toAll),
  );
  const asTheChannels = follow(chosen, choose(5, "lunch", 0), choose(6, "LUNCH", 0));

  expect(chosen.unread_msgs).toMatchObject({ count: 2, mentions: [4] });
  expect(asTheChannels.unread_msgs).toMatchObject({ count: 2, mentions: [4] });
  expect(follow(asTheChannels, choose(5, "lunch", 1)).unread_msgs?.count).toBe(0);
});

test("an organization's settings are updated under their names in the registration response", () => {
  const state = follow(
    { realm_name: "Old", realm_icon_url: "/old", realm_icon_source: "G" },
    { type: "realm", op: "update", property: "name", value: "New" },
    { type: "realm", op: "update_dict", property: "icon", data: { icon_url: "/new", icon_source: "U" } },
  );

  expect(state).toEqual({ user_id: me, realm_name: "New", realm_icon_url: "/new", realm_icon_source: "U" });
});

test("renaming a channel updates its muted topics", () => {
  const { muted_topics } = follow(
    {
      muted_topics: [
        ["elsinore", "ghosts", 1],
        ["paris", "swords", 2],
      ],
    },
    { type: "stream", op: "update", stream_id: 5, name: "elsinore", property: "name", value: "denmark" },
  );

  expect(muted_topics).toEqual([
    ["denmark", "ghosts", 1],
    ["paris", "swords", 2],
  ]);
});

test("the user's own permissions follow from settings, groups and the role", () => {
  const members = {
    id: 1,
    name: "role:members",
    description: "",
    creator_id: null,
    date_created: null,
    members: [me],
    direct_subgroup_ids: [],
    is_system_group: true,
    deactivated: false,
    managed_by: null,
    can_add_members_group: 2,
    can_join_group: 2,
    can_leave_group: 2,
    can_manage_group: 2,
    can_mention_group: 2,
    can_remove_members_group: 2,
  };
  const before = {
    is_guest: false,
    realm_user_groups: [members],
    realm_can_create_private_channel_group: { direct_members: [], direct_subgroups: [1] },
    realm_can_create_public_channel_group: 1,
    realm_can_invite_users_group: 1,
    can_create_private_streams: true,
    can_create_public_streams: true,
    can_create_web_public_streams: false,
    can_create_streams: true,
    can_invite_others_to_realm: true,
  };

  const restricted = follow(before, {
    type: "realm",
    op: "update_dict",
    property: "default",
    data: { can_create_public_channel_group: { direct_members: [11], direct_subgroups: [] } },
  });
  const left = follow(restricted, { type: "user_group", op: "remove_members", group_id: 1, user_ids: [me] });

  expect(restricted).toMatchObject({
    can_create_private_streams: true,
    can_create_public_streams: false,
    can_create_streams: true,
    can_invite_others_to_realm: true,
  });
  expect(left).toMatchObject({
    can_create_private_streams: false,
    can_create_streams: false,
    can_invite_others_to_realm: false,
  });
});
