/**
 * No object of another organization can be accessed, or be found to exist: every endpoint that takes the id or name of an
 * object responds in the same way whether another organization has it or nobody has.
 */
import { randomBytes } from "node:crypto";
import { endpoints } from "@skein/api/all.ts";
import type { Method } from "@skein/api/endpoint.ts";
import { beforeAll, expect, test } from "vitest";
import { fetchAs, uploadAs } from "../../test/files.ts";
import { withPasskey } from "../../test/software-authenticator.ts";
import { newRealm, type TestRealm, type TestUser } from "../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../test/actions.ts";

interface Ids {
  channel: number;
  channelName: string;
  message: number;
  user: number;
  email: string;
  group: number;
  draft: number;
  scheduled: number;
  reminder: number;
  folder: number;
  snippet: number;
  destination: number;
  key: number;
  scimToken: number;
  provider: number;
  session: number;
  passkey: number;
  bot: number;
  invite: number;
  link: number;
  linkifier: number;
  playground: number;
  field: number;
  queue: string;
  export: number;
  import: number;
  emoji: string;
  emojiId: string;
  defaultGroup: number;
  attachment: number;
  file: string;
}

const nobodys: Ids = {
  channel: 987_654_321,
  channelName: "no such channel",
  message: 987_654_321,
  user: 987_654_321,
  email: "nobody@nowhere.example.com",
  group: 987_654_321,
  draft: 987_654_321,
  scheduled: 987_654_321,
  reminder: 987_654_321,
  folder: 987_654_321,
  snippet: 987_654_321,
  destination: 987_654_321,
  key: 987_654_321,
  scimToken: 987_654_321,
  provider: 987_654_321,
  session: 987_654_321,
  passkey: 987_654_321,
  bot: 987_654_321,
  invite: 987_654_321,
  link: 987_654_321,
  linkifier: 987_654_321,
  playground: 987_654_321,
  field: 987_654_321,
  queue: "00000000-0000-4000-8000-000000000000",
  export: 987_654_321,
  import: 987_654_321,
  emoji: "no_such_emoji",
  emojiId: "987654321",
  defaultGroup: 987_654_321,
  attachment: 987_654_321,
  file: "/user_uploads/987654321/3e/vRR0hX9OuTOuDTaKO5LZknAZ/secret.txt",
};

interface Own {
  channel: number;
  message: number;
  group: number;
  bot: number;
}

let realm: TestRealm;
let foreign: Record<"private" | "direct", Ids>;
const own = new Map<TestUser, Own>();

const ask = async (user: TestUser, method: Method, path: string, form: Record<string, unknown> = {}) => {
  const texts = Object.entries(form).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return user.request(method, path, Object.fromEntries(texts) as Record<string, string>);
};

async function done(user: TestUser, method: Method, path: string, form: Record<string, unknown> = {}) {
  const answer = await ask(user, method, path, form);
  if (answer["result"] !== "success") throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

const tomorrow = () => Math.floor(Date.now() / 1000) + 86_400;

/** Another organization, with one object of every kind. */
async function makeForeign(): Promise<Record<"private" | "direct", Ids>> {
  const other = await newRealm();
  const { admin } = other;
  const friend = await other.user("friend");
  const channel = await channelOf([admin, friend], "hidden court", { isPrivate: true });
  const [message, direct] = [await sendToChannel(admin, channel, { topic: "plot" }), await sendDirect(admin, [friend])];
  const { db } = other.ctx;
  const newest = async (table: "custom_emoji" | "default_channel_groups" | "attachments") =>
    (
      await db
        .selectFrom(table)
        .select("id")
        .where("realm_id", "=", other.id)
        .orderBy("id", "desc")
        .executeTakeFirstOrThrow()
    ).id;
  const file = await uploadAs(admin);
  await sendToChannel(admin, channel, { content: `[f](${file})` });
  const [draft] = (
    await done(admin, "POST", "/drafts", { drafts: [{ type: "stream", to: [channel.id], topic: "t", content: "d" }] })
  )["ids"] as [number];
  const later = { type: "stream", to: channel.id, topic: "t", content: "s", scheduled_delivery_timestamp: tomorrow() };
  const id = async (method: Method, path: string, form: Record<string, unknown>, field = "id") =>
    (await done(admin, method, path, form))[field] as number;
  await done(admin, "POST", "/invites", { invitee_emails: "new@example.com", stream_ids: [], invite_as: 400 });
  await done(admin, "POST", "/invites/multiuse", { stream_ids: [], invite_as: 400 });
  const invites = (await done(admin, "GET", "/invites"))["invites"] as { id: number; is_multiuse: boolean }[];
  const inviteOf = (isLink: boolean) => invites.find((invite) => invite.is_multiuse === isLink)?.id ?? 0;
  const pixel = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "base64",
  );
  await admin.upload("/realm/emoji/crown_jewel", { "crown.png": pixel });
  await channelOf([admin], "yard");
  await done(admin, "POST", "/default_stream_groups/create", {
    group_name: "newcomers",
    description: "",
    stream_names: ["yard"],
  });
  const ids: Ids = {
    channel: channel.id,
    channelName: channel.name,
    message,
    user: friend.id,
    email: friend.email,
    group: await id(
      "POST",
      "/user_groups/create",
      { name: "guard", description: "", members: [friend.id] },
      "group_id",
    ),
    draft,
    scheduled: await id("POST", "/scheduled_messages", later, "scheduled_message_id"),
    reminder: await id(
      "POST",
      "/reminders",
      { message_id: message, scheduled_delivery_timestamp: tomorrow() },
      "reminder_id",
    ),
    folder: await id("POST", "/channel_folders/create", { name: "f" }, "channel_folder_id"),
    snippet: await id("POST", "/saved_snippets", { title: "t", content: "c" }, "saved_snippet_id"),
    key: await id("POST", "/users/me/api_keys", { name: "k", scopes: ["*"] }),
    scimToken: await id("POST", "/scim/tokens", { name: "directory" }),
    provider: (
      await db
        .insertInto("identity_providers")
        .values({ realm_id: other.id, key: "spy", name: "Spy", issuer: "https://id.example.com", client_id: "spy" })
        .returning("id")
        .executeTakeFirstOrThrow()
    ).id,
    passkey: (await withPasskey(friend)).id,
    session: (
      await db
        .insertInto("browser_sessions")
        .values({ realm_id: other.id, user_id: friend.id, token_hash: randomBytes(32), expires_at: new Date(2100, 0) })
        .returning("id")
        .executeTakeFirstOrThrow()
    ).id,
    destination: await id("POST", "/audit_log/destinations", { url: "https://logs.example.com" }),
    bot: await id("POST", "/bots", { full_name: "Spy", short_name: "spy", bot_type: 1 }, "user_id"),
    invite: inviteOf(false),
    link: inviteOf(true),
    linkifier: await id("POST", "/realm/filters", {
      pattern: "X(?P<id>[0-9]+)",
      url_template: "https://x.example/{id}",
    }),
    playground: await id("POST", "/realm/playgrounds", {
      name: "p",
      pygments_language: "Python",
      url_template: "https://x.example/{code}",
    }),
    field: await id("POST", "/realm/profile_fields", { name: "Phone", field_type: 1 }),
    queue: (await done(admin, "POST", "/register"))["queue_id"] as string,
    export: await id("POST", "/export/realm", { export_type: 1 }),
    import: await id("POST", "/import/realm", { file_name: "slack.zip", size: 1000 }),
    emoji: "crown_jewel",
    emojiId: String(await newest("custom_emoji")),
    defaultGroup: await newest("default_channel_groups"),
    attachment: await newest("attachments"),
    file,
  };
  return { private: ids, direct: { ...ids, message: direct } };
}

async function prepare(user: TestUser): Promise<void> {
  const channel = await channelOf([user], `own ${user.id}`);
  const { group_id } = await done(user.realm.admin, "POST", "/user_groups/create", {
    name: `own ${user.id}`,
    description: "",
    members: [],
  });
  const { user_id } = await done(user, "POST", "/bots", {
    full_name: `Bot ${user.id}`,
    short_name: `bot${user.id}`,
    bot_type: 1,
  });
  const message = await sendToChannel(user, channel);
  own.set(user, { channel: channel.id, message, group: group_id as number, bot: user_id as number });
}

let member: TestUser;
beforeAll(async () => {
  realm = await newRealm();
  member = await realm.user("member");
  foreign = await makeForeign();
  for (const user of [realm.admin, member]) await prepare(user);
});

type Form = Record<string, unknown>;
/** The declared endpoint, and the path and form of a request to it. */
type Case = [
  declared: `${Method} ${string}`,
  path: (ids: Ids, own: Own) => string,
  form?: (ids: Ids, own: Own) => Form,
];

const newest = { anchor: "newest", num_before: 5, num_after: 0 };
const narrowed = (operator: string, operand: keyof Ids, isList = false): Case => [
  "GET /messages",
  () => "/messages",
  (ids) => ({ ...newest, narrow: [{ operator, operand: isList ? [ids[operand]] : ids[operand] }] }),
];
const settings = (ids: Ids): unknown[] => [
  { new: ids.group },
  { new: { direct_members: [ids.user], direct_subgroups: [] } },
  { new: { direct_members: [], direct_subgroups: [ids.group] } },
];

const provider = { key: "harbor", name: "Harbor", issuer: "https://id.example.com", client_id: "skein" };

const cases: Case[] = [
  ["GET /messages/{message_id}", (ids) => `/messages/${ids.message}`],
  ["PATCH /messages/{message_id}", (ids) => `/messages/${ids.message}`, () => ({ content: "changed" })],
  ["PATCH /messages/{message_id}", (ids) => `/messages/${ids.message}`, () => ({ topic: "changed" })],
  ["PATCH /messages/{message_id}", (ids) => `/messages/${ids.message}`, (_, mine) => ({ stream_id: mine.channel })],
  ["PATCH /messages/{message_id}", (_, mine) => `/messages/${mine.message}`, (ids) => ({ stream_id: ids.channel })],
  ["DELETE /messages/{message_id}", (ids) => `/messages/${ids.message}`],
  ["GET /messages/{message_id}/history", (ids) => `/messages/${ids.message}/history`],
  ["GET /messages/{message_id}/read_receipts", (ids) => `/messages/${ids.message}/read_receipts`],
  ["POST /messages/{message_id}/typing", (ids) => `/messages/${ids.message}/typing`, () => ({ op: "start" })],
  [
    "POST /messages/{message_id}/reactions",
    (ids) => `/messages/${ids.message}/reactions`,
    () => ({ emoji_name: "smile" }),
  ],
  [
    "DELETE /messages/{message_id}/reactions",
    (ids) => `/messages/${ids.message}/reactions`,
    () => ({ emoji_name: "smile" }),
  ],
  [
    "POST /messages/{message_id}/reactions",
    (_, mine) => `/messages/${mine.message}/reactions`,
    ({ emoji, emojiId }) => ({ emoji_name: emoji, emoji_code: emojiId, reaction_type: "realm_emoji" }),
  ],
  ["POST /submessage", () => "/submessage", (ids) => ({ message_id: ids.message, msg_type: "widget", content: "{}" })],
  ...["starred", "read"].flatMap((flag) =>
    ["add", "remove"].map((op): Case => [
      "POST /messages/flags",
      () => "/messages/flags",
      (ids) => ({ messages: [ids.message], op, flag }),
    ]),
  ),
  ["GET /messages/matches_narrow", () => "/messages/matches_narrow", (ids) => ({ msg_ids: [ids.message], narrow: [] })],
  ["GET /messages", () => "/messages", (ids) => ({ message_ids: [ids.message] })],
  narrowed("id", "message"),
  narrowed("with", "message"),
  narrowed("near", "message"),
  narrowed("channel", "channel"),
  narrowed("channel", "channelName"),
  narrowed("sender", "user"),
  narrowed("sender", "email"),
  narrowed("dm", "user", true),
  narrowed("dm-including", "user"),
  [
    "POST /messages/flags/narrow",
    () => "/messages/flags/narrow",
    (ids) => ({ ...newest, narrow: [{ operator: "channel", operand: ids.channel }], op: "add", flag: "read" }),
  ],
  ["POST /mark_stream_as_read", () => "/mark_stream_as_read", (ids) => ({ stream_id: ids.channel })],
  ["POST /mark_topic_as_read", () => "/mark_topic_as_read", (ids) => ({ stream_id: ids.channel, topic_name: "plot" })],
  [
    "POST /streams/{stream_id}/delete_topic",
    (ids) => `/streams/${ids.channel}/delete_topic`,
    () => ({ topic_name: "plot" }),
  ],
  [
    "GET /messages/summary",
    () => "/messages/summary",
    (ids) => ({ narrow: [{ operator: "channel", operand: ids.channel }] }),
  ],
  ["GET /streams/{stream_id}", (ids) => `/streams/${ids.channel}`],
  ["PATCH /streams/{stream_id}", (ids) => `/streams/${ids.channel}`, () => ({ description: "changed" })],
  ["PATCH /streams/{stream_id}", (ids) => `/streams/${ids.channel}`, () => ({ is_private: false })],
  ["DELETE /streams/{stream_id}", (ids) => `/streams/${ids.channel}`],
  ["GET /get_stream_id", () => "/get_stream_id", (ids) => ({ stream: ids.channelName })],
  ["GET /streams/{stream_id}/members", (ids) => `/streams/${ids.channel}/members`],
  ["GET /streams/{stream_id}/email_address", (ids) => `/streams/${ids.channel}/email_address`],
  [
    "GET /streams/{stream_id}/email_address",
    (_, mine) => `/streams/${mine.channel}/email_address`,
    (ids) => ({ sender_id: ids.user }),
  ],
  ["GET /users/me/{stream_id}/topics", (ids) => `/users/me/${ids.channel}/topics`],
  ["DELETE /users/me/subscriptions", () => "/users/me/subscriptions", (ids) => ({ subscriptions: [ids.channelName] })],
  [
    "DELETE /users/me/subscriptions",
    () => "/users/me/subscriptions",
    (ids) => ({ subscriptions: ["own"], principals: [ids.user] }),
  ],
  [
    "POST /users/me/subscriptions",
    () => "/users/me/subscriptions",
    (ids) => ({ subscriptions: [{ name: "own" }], principals: [ids.user] }),
  ],
  ["PATCH /channel_folders/{channel_folder_id}", (ids) => `/channel_folders/${ids.folder}`, () => ({ name: "x" })],
  ["PATCH /channel_folders", () => "/channel_folders", (ids) => ({ order: [ids.folder] })],
  [
    "POST /channels/create",
    () => "/channels/create",
    (ids) => ({ name: "foreign", subscribers: [], folder_id: ids.folder }),
  ],
  ["POST /channels/create", () => "/channels/create", (ids) => ({ name: "foreign", subscribers: [ids.user] })],
  [
    "POST /users/me/subscriptions",
    () => "/users/me/subscriptions",
    (ids) => ({ subscriptions: [{ name: "own" }], principals: [ids.email] }),
  ],
  ["PATCH /users/me/subscriptions", () => "/users/me/subscriptions", (ids) => ({ delete: [ids.channelName] })],
  [
    "PATCH /users/me/subscriptions/{stream_id}",
    (ids) => `/users/me/subscriptions/${ids.channel}`,
    () => ({ property: "is_muted", value: true }),
  ],
  [
    "POST /users/me/subscriptions/properties",
    () => "/users/me/subscriptions/properties",
    (ids) => ({ subscription_data: [{ stream_id: ids.channel, property: "color", value: "#ffffff" }] }),
  ],
  [
    "PATCH /users/me/subscriptions/muted_topics",
    () => "/users/me/subscriptions/muted_topics",
    (ids) => ({ stream_id: ids.channel, topic: "plot", op: "add" }),
  ],
  [
    "POST /user_topics",
    () => "/user_topics",
    (ids) => ({ stream_id: ids.channel, topic: "plot", visibility_policy: 3 }),
  ],
  [
    "PATCH /settings",
    () => "/settings",
    (ids) => ({ enter_sends: true, target_users: { user_ids: [ids.user], group_ids: [] } }),
  ],
  [
    "PATCH /settings",
    () => "/settings",
    (ids) => ({ enter_sends: true, target_users: { user_ids: [], group_ids: [ids.group] } }),
  ],
  ["GET /users/{user_id}/channels", (ids) => `/users/${ids.user}/channels`],
  ["GET /users/{user_id}/subscriptions/{stream_id}", (ids) => `/users/${ids.user}/subscriptions/${ids.channel}`],
  ["POST /default_streams", () => "/default_streams", (ids) => ({ stream_id: ids.channel })],
  ["DELETE /default_streams", () => "/default_streams", (ids) => ({ stream_id: ids.channel })],
  [
    "POST /default_stream_groups/create",
    () => "/default_stream_groups/create",
    (ids) => ({ group_name: "some", description: "", stream_names: [ids.channelName] }),
  ],
  [
    "PATCH /default_stream_groups/{group_id}",
    (ids) => `/default_stream_groups/${ids.defaultGroup}`,
    () => ({ new_description: "x" }),
  ],
  [
    "PATCH /default_stream_groups/{group_id}/streams",
    (ids) => `/default_stream_groups/${ids.defaultGroup}/streams`,
    () => ({ op: "remove", stream_names: ["yard"] }),
  ],
  ["DELETE /default_stream_groups/{group_id}", (ids) => `/default_stream_groups/${ids.defaultGroup}`],
  ["GET /users/{user_id}", (ids) => `/users/${ids.user}`],
  ["GET /users/{email}", (ids) => `/users/${encodeURIComponent(ids.email)}`],
  ["PATCH /users/{user_id}", (ids) => `/users/${ids.user}`, () => ({ full_name: "Changed" })],
  ["PATCH /users/{email}", (ids) => `/users/${encodeURIComponent(ids.email)}`, () => ({ full_name: "Changed" })],
  ["DELETE /users/{user_id}", (ids) => `/users/${ids.user}`],
  ["POST /users/{user_id}/reactivate", (ids) => `/users/${ids.user}/reactivate`],
  ["GET /users/{user_id}/status", (ids) => `/users/${ids.user}/status`],
  ["GET /users/{user_id_or_email}/presence", (ids) => `/users/${ids.user}/presence`],
  ["GET /users/{user_id_or_email}/presence", (ids) => `/users/${encodeURIComponent(ids.email)}/presence`],
  ["POST /users/me/muted_users/{muted_user_id}", (ids) => `/users/me/muted_users/${ids.user}`],
  ["DELETE /users/me/muted_users/{muted_user_id}", (ids) => `/users/me/muted_users/${ids.user}`],
  [
    "POST /users/me/status",
    () => "/users/me/status",
    ({ emoji, emojiId }) => ({ emoji_name: emoji, emoji_code: emojiId, reaction_type: "realm_emoji" }),
  ],
  ["PATCH /realm/profile_fields", () => "/realm/profile_fields", (ids) => ({ order: [ids.field] })],
  [
    "PATCH /realm/profile_fields/{field_id}",
    (ids) => `/realm/profile_fields/${ids.field}`,
    () => ({ name: "Changed" }),
  ],
  ["DELETE /realm/profile_fields/{field_id}", (ids) => `/realm/profile_fields/${ids.field}`],
  [
    "PATCH /users/me/profile_data",
    () => "/users/me/profile_data",
    (ids) => ({ data: [{ id: ids.field, value: "x" }] }),
  ],
  ["DELETE /users/me/profile_data", () => "/users/me/profile_data", (ids) => ({ data: [ids.field] })],
  ["PATCH /user_groups/{user_group_id}", (ids) => `/user_groups/${ids.group}`, () => ({ description: "changed" })],
  ["POST /user_groups/{user_group_id}/deactivate", (ids) => `/user_groups/${ids.group}/deactivate`],
  ["GET /user_groups/{user_group_id}/members", (ids) => `/user_groups/${ids.group}/members`],
  ["GET /user_groups/{user_group_id}/members/{user_id}", (ids) => `/user_groups/${ids.group}/members/${ids.user}`],
  [
    "GET /user_groups/{user_group_id}/members/{user_id}",
    (ids, mine) => `/user_groups/${mine.group}/members/${ids.user}`,
  ],
  ["GET /user_groups/{user_group_id}/subgroups", (ids) => `/user_groups/${ids.group}/subgroups`],
  [
    "POST /user_groups/{user_group_id}/members",
    (ids) => `/user_groups/${ids.group}/members`,
    () => ({ add: [member.id] }),
  ],
  [
    "POST /user_groups/{user_group_id}/members",
    (_, mine) => `/user_groups/${mine.group}/members`,
    (ids) => ({ add: [ids.user] }),
  ],
  [
    "POST /user_groups/{user_group_id}/members",
    (_, mine) => `/user_groups/${mine.group}/members`,
    (ids) => ({ add_subgroups: [ids.group] }),
  ],
  [
    "POST /user_groups/{user_group_id}/subgroups",
    (_, mine) => `/user_groups/${mine.group}/subgroups`,
    (ids) => ({ add: [ids.group] }),
  ],
  [
    "POST /user_groups/create",
    () => "/user_groups/create",
    (ids) => ({ name: "more", description: "", members: [ids.user] }),
  ],
  [
    "POST /user_groups/create",
    () => "/user_groups/create",
    (ids) => ({ name: "more", description: "", members: [], subgroups: [ids.group] }),
  ],
  [
    "POST /user_groups/create",
    () => "/user_groups/create",
    (ids) => ({ name: "more", description: "", members: [], can_mention_group: ids.group }),
  ],
  ...[0, 1, 2].flatMap((which): Case[] => [
    [
      "PATCH /streams/{stream_id}",
      (_, mine) => `/streams/${mine.channel}`,
      (ids) => ({ can_send_message_group: settings(ids)[which] }),
    ],
    ["PATCH /realm", () => "/realm", (ids) => ({ can_create_groups: settings(ids)[which] })],
    [
      "PATCH /user_groups/{user_group_id}",
      (_, mine) => `/user_groups/${mine.group}`,
      (ids) => ({ can_mention_group: settings(ids)[which] }),
    ],
  ]),
  ["PATCH /realm", () => "/realm", (ids) => ({ signup_announcements_stream_id: ids.channel })],
  ["PATCH /realm", () => "/realm", (ids) => ({ moderation_request_channel_id: ids.channel })],
  [
    "POST /invites",
    () => "/invites",
    (ids) => ({ invitee_emails: "x@example.com", stream_ids: [ids.channel], invite_as: 400 }),
  ],
  [
    "POST /invites",
    () => "/invites",
    (ids) => ({ invitee_emails: "x@example.com", stream_ids: [], group_ids: [ids.group], invite_as: 400 }),
  ],
  ["POST /invites/multiuse", () => "/invites/multiuse", (ids) => ({ stream_ids: [ids.channel] })],
  ["POST /invites/{invite_id}/resend", (ids) => `/invites/${ids.invite}/resend`],
  ["DELETE /invites/{invite_id}", (ids) => `/invites/${ids.invite}`],
  ["DELETE /invites/multiuse/{invite_id}", (ids) => `/invites/multiuse/${ids.link}`],
  ["GET /events", () => "/events", (ids) => ({ queue_id: ids.queue, last_event_id: -1, dont_block: true })],
  ["DELETE /events", () => "/events", (ids) => ({ queue_id: ids.queue })],
  [
    "PATCH /drafts/{draft_id}",
    (ids) => `/drafts/${ids.draft}`,
    () => ({ draft: { type: "", to: [], topic: "", content: "x" } }),
  ],
  ["DELETE /drafts/{draft_id}", (ids) => `/drafts/${ids.draft}`],
  [
    "POST /drafts",
    () => "/drafts",
    (ids) => ({ drafts: [{ type: "stream", to: [ids.channel], topic: "t", content: "x" }] }),
  ],
  [
    "POST /drafts",
    () => "/drafts",
    (ids) => ({ drafts: [{ type: "private", to: [ids.user], topic: "", content: "x" }] }),
  ],
  [
    "POST /scheduled_messages",
    () => "/scheduled_messages",
    (ids) => ({ type: "stream", to: ids.channel, topic: "t", content: "x", scheduled_delivery_timestamp: tomorrow() }),
  ],
  [
    "POST /scheduled_messages",
    () => "/scheduled_messages",
    (ids) => ({ type: "direct", to: [ids.user], content: "x", scheduled_delivery_timestamp: tomorrow() }),
  ],
  [
    "PATCH /scheduled_messages/{scheduled_message_id}",
    (ids) => `/scheduled_messages/${ids.scheduled}`,
    () => ({ content: "x" }),
  ],
  ["DELETE /scheduled_messages/{scheduled_message_id}", (ids) => `/scheduled_messages/${ids.scheduled}`],
  [
    "POST /reminders",
    () => "/reminders",
    (ids) => ({ message_id: ids.message, scheduled_delivery_timestamp: tomorrow() }),
  ],
  ["GET /users", () => "/users", (ids) => ({ user_ids: [ids.user] })],
  ["POST /users/{user_id}/status", (ids) => `/users/${ids.user}/status`, () => ({ status_text: "x" })],
  ["DELETE /reminders/{reminder_id}", (ids) => `/reminders/${ids.reminder}`],
  ["POST /messages/{message_id}/report", (ids) => `/messages/${ids.message}/report`, () => ({ report_type: "spam" })],
  [
    "POST /realm/identity_providers",
    () => "/realm/identity_providers",
    (ids) => ({ ...provider, group_map: { pilots: ids.group } }),
  ],
  [
    "PATCH /realm/identity_providers/{provider_id}",
    (ids) => `/realm/identity_providers/${ids.provider}`,
    () => ({ name: "x" }),
  ],
  ["DELETE /realm/identity_providers/{provider_id}", (ids) => `/realm/identity_providers/${ids.provider}`],
  ["POST /realm/identity_providers/{provider_id}/test", (ids) => `/realm/identity_providers/${ids.provider}/test`],
  ["POST /realm/identity_providers/{provider_id}/sync", (ids) => `/realm/identity_providers/${ids.provider}/sync`],
  ["PATCH /users/me/api_keys/{key_id}", (ids) => `/users/me/api_keys/${ids.key}`, () => ({ name: "x" })],
  ["DELETE /users/me/api_keys/{key_id}", (ids) => `/users/me/api_keys/${ids.key}`],
  ["GET /users/{user_id}/api_keys", (ids) => `/users/${ids.user}/api_keys`],
  ["DELETE /users/{user_id}/api_keys/{key_id}", (ids) => `/users/${ids.user}/api_keys/${ids.key}`],
  ["DELETE /users/me/sessions/{session_id}", (ids) => `/users/me/sessions/${ids.session}`],
  ["DELETE /scim/tokens/{token_id}", (ids) => `/scim/tokens/${ids.scimToken}`],
  ["PATCH /realm/scim", () => "/realm/scim", (ids) => ({ attribute_map: { title: ids.field } })],
  ["GET /audit_log", () => "/audit_log", (ids) => ({ actor_id: ids.user })],
  ["GET /audit_log", () => "/audit_log", (ids) => ({ target_kind: "user", target_id: ids.user })],
  ["PATCH /users/me/passkeys/{passkey_id}", (ids) => `/users/me/passkeys/${ids.passkey}`, () => ({ name: "x" })],
  ["DELETE /users/me/passkeys/{passkey_id}", (ids) => `/users/me/passkeys/${ids.passkey}`, () => ({ code: "x" })],
  ["GET /users/{user_id}/second_factors", (ids) => `/users/${ids.user}/second_factors`],
  ["DELETE /users/{user_id}/second_factors", (ids) => `/users/${ids.user}/second_factors`],
  [
    "PATCH /audit_log/destinations/{destination_id}",
    (ids) => `/audit_log/destinations/${ids.destination}`,
    () => ({ is_enabled: false }),
  ],
  ["DELETE /audit_log/destinations/{destination_id}", (ids) => `/audit_log/destinations/${ids.destination}`],
  ["GET /users/{user_id}/sessions", (ids) => `/users/${ids.user}/sessions`],
  ["DELETE /users/{user_id}/sessions/{session_id}", (ids) => `/users/${ids.user}/sessions/${ids.session}`],
  ["PATCH /saved_snippets/{saved_snippet_id}", (ids) => `/saved_snippets/${ids.snippet}`, () => ({ title: "x" })],
  ["DELETE /saved_snippets/{saved_snippet_id}", (ids) => `/saved_snippets/${ids.snippet}`],
  [
    "PATCH /realm/filters/{filter_id}",
    (ids) => `/realm/filters/${ids.linkifier}`,
    () => ({ pattern: "Y(?P<id>[0-9]+)", url_template: "https://y.example/{id}" }),
  ],
  ["PATCH /realm/linkifiers", () => "/realm/linkifiers", (ids) => ({ ordered_linkifier_ids: [ids.linkifier] })],
  ["DELETE /realm/filters/{filter_id}", (ids) => `/realm/filters/${ids.linkifier}`],
  ["DELETE /realm/playgrounds/{playground_id}", (ids) => `/realm/playgrounds/${ids.playground}`],
  ["GET /import/realm/{import_id}/plan", (ids) => `/import/realm/${ids.import}/plan`],
  ["PATCH /import/realm/{import_id}/plan", (ids) => `/import/realm/${ids.import}/plan`, () => ({ unthreaded: "day" })],
  ["GET /import/realm/{import_id}/report", (ids) => `/import/realm/${ids.import}/report`],
  ["POST /import/realm/{import_id}/inspect", (ids) => `/import/realm/${ids.import}/inspect`],
  ["POST /import/realm/{import_id}/run", (ids) => `/import/realm/${ids.import}/run`],
  ["DELETE /import/realm/{import_id}", (ids) => `/import/realm/${ids.import}`],
  ["DELETE /export/realm/{export_id}", (ids) => `/export/realm/${ids.export}`],
  ["DELETE /realm/emoji/{emoji_name}", (ids) => `/realm/emoji/${ids.emoji}`],
  ["PATCH /bots/{bot_id}", (ids) => `/bots/${ids.bot}`, () => ({ full_name: "Changed" })],
  ["PATCH /bots/{bot_id}", (_, mine) => `/bots/${mine.bot}`, (ids) => ({ bot_owner_id: ids.user })],
  ["PATCH /bots/{bot_id}", (_, mine) => `/bots/${mine.bot}`, (ids) => ({ default_sending_stream: ids.channelName })],
  ["GET /bots/{bot_id}/api_key", (ids) => `/bots/${ids.bot}/api_key`],
  ["POST /bots/{bot_id}/api_key/regenerate", (ids) => `/bots/${ids.bot}/api_key/regenerate`],
  ["DELETE /bots/{bot_id}", (ids) => `/bots/${ids.bot}`],
  ["POST /typing", () => "/typing", (ids) => ({ op: "start", type: "direct", to: [ids.user] })],
  ["POST /typing", () => "/typing", (ids) => ({ op: "start", type: "stream", stream_id: ids.channel, topic: "plot" })],
  ["POST /messages", () => "/messages", (ids) => ({ type: "stream", to: ids.channel, topic: "t", content: "x" })],
  ["POST /messages", () => "/messages", (ids) => ({ type: "stream", to: ids.channelName, topic: "t", content: "x" })],
  ["POST /messages", () => "/messages", (ids) => ({ type: "direct", to: [ids.user], content: "x" })],
  ["POST /messages", () => "/messages", (ids) => ({ type: "direct", to: [ids.email], content: "x" })],
  ["DELETE /attachments/{attachment_id}", (ids) => `/attachments/${ids.attachment}`],
  ["GET /user_uploads/{realm_id_str}/{filename}", (ids) => ids.file],
];

/** The parameters of these endpoints do not refer to an organization's objects. */
const takesNoObject = new Set([
  "POST /users/me/presence",
  "GET /realm/subdomain/{subdomain}",
  "PATCH /realm/domains/{domain}",
  "DELETE /realm/domains/{domain}",
  "POST /realm/emoji/{emoji_name}",
  "PATCH /navigation_views/{fragment}",
  "DELETE /navigation_views/{fragment}",
]);

test("every endpoint that takes an id is among the cases", () => {
  const tried = new Set(cases.map(([declared]) => declared as string));
  const takesIds = ({ path, params }: { path: string; params: object }) =>
    path.includes("{") || Object.keys(params).some((name) => /(^|_)(ids?|principals|queue_id|messages)$/.test(name));
  const missing = endpoints
    .filter((endpoint) => takesIds(endpoint))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((place) => !tried.has(place) && !takesNoObject.has(place));

  expect(missing).toEqual([]);
});

/** The response without the requested ids and names, and without values that vary between requests. */
function normalized(answer: unknown, ids: Ids): string {
  let text = JSON.stringify(answer);
  // Replaces the ids of both kinds, because a small id may also occur as another number.
  const names = [...Object.values(ids), ...Object.values(nobodys)].map(String);
  for (const name of [...new Set(names)].toSorted((one, other) => other.length - one.length))
    text = text.replaceAll(new RegExp(`(?<!\\w)${RegExp.escape(name)}(?!\\w)`, "g"), "?");
  return text.replaceAll(/"anchor":\d+/g, "");
}

test.each([
  ["an owner", "private", () => realm.admin],
  ["an owner", "direct", () => realm.admin],
  ["a member", "private", () => member],
] as const)("%s finds nothing of another organization (%s)", async (_, kind, who) => {
  const user = who();
  const mine = own.get(user);
  if (!mine) throw new Error("this user has not been prepared");
  const differences: string[] = [];
  for (const [declared, path, form] of cases) {
    const answerFor = async (ids: Ids) => {
      const answer = await ask(user, declared.split(" ")[0] as Method, path(ids, mine), form?.(ids, mine));
      return normalized(answer, foreign[kind]);
    };
    const [there, nowhere] = [await answerFor(foreign[kind]), await answerFor(nobodys)];
    if (there !== nowhere)
      differences.push(`${declared} ${JSON.stringify(form?.(foreign[kind], mine))}: ${there}, ${nowhere}`);
  }

  expect(differences).toEqual([]);
});

test("files and pictures of another organization cannot be found", async () => {
  const ids = foreign.private;
  const paths = (one: Ids) => [
    one.file,
    one.file.replace("/user_uploads/", "/user_uploads/download/"),
    `/avatar/${one.user}`,
    `/avatar/${one.user}/medium`,
    `/avatar/${encodeURIComponent(one.email)}`,
  ];
  const shown = async (one: Ids) =>
    Promise.all(
      paths(one).map(async (path) => {
        const response = await fetchAs(realm.admin, path);
        return `${response.status} ${await response.text()} ${response.headers.get("location")}`.replaceAll(
          String(one.user),
          "?",
        );
      }),
    );

  expect(await shown(ids)).toEqual(await shown(nobodys));
});

test("linking to another organization's file in a message does not give access to it", async () => {
  const { file } = foreign.private;
  await done(realm.admin, "POST", "/messages", { type: "direct", to: [realm.admin.id], content: `[x](${file})` });

  expect((await fetchAs(realm.admin, file)).status).toBe(404);
});
