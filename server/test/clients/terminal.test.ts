/** zulip-terminal: its requests at startup, in order, and the fields it requires. */
import { createUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { hashPassword } from "../../src/domain/people/auth/passwords.ts";
import { untilOnEveryNode } from "../presence.ts";
import { newRealm, success, TestUser } from "../realm.ts";
import { channelOf, flagsFor, sendToChannel, sendDirect } from "../actions.ts";
import { ClientProgram, exchange, missing, nextOf, type Exchange } from "./wire.ts";

const agent = "ZulipTerminal/0.7.0+git Python/3.11.2 (Debian GNU/Linux; 12)";
const newestAnchor = 10000000000000000;

async function company() {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "Denmark");
  return { realm, hamlet, ophelia, channel, terminal: new ClientProgram(hamlet, agent) };
}

/** The first page, which it fetches before it registers. */
const firstPage = (terminal: ClientProgram) =>
  terminal.answer(
    terminal.get("/messages", {
      anchor: "first_unread",
      num_before: "30",
      num_after: "10",
      apply_markdown: "true",
      client_gravatar: "true",
      narrow: "[]",
    }),
  );

const registration = {
  event_types: JSON.stringify([
    "message",
    "update_message",
    "reaction",
    "submessage",
    "subscription",
    "typing",
    "update_message_flags",
    "user_settings",
    "realm_emoji",
    "realm_user",
  ]),
  fetch_event_types: JSON.stringify([
    "realm",
    "presence",
    "subscription",
    "message",
    "starred_messages",
    "update_message_flags",
    "muted_topics",
    "realm_user",
    "realm_user_groups",
    "user_settings",
    "realm_emoji",
    "custom_profile_fields",
    "zulip_version",
  ]),
  narrow: "[]",
  client_gravatar: "true",
  apply_markdown: "true",
  include_subscribers: "true",
};

const register = (terminal: ClientProgram) => terminal.answer(terminal.post("/register", registration));

const messagesOf = (answer: Exchange["json"]) => answer["messages"] as Record<string, unknown>[]; // as documented
const idsOf = (answer: Exchange["json"]) => messagesOf(answer).map(({ id }) => id);

// clients 1 zulip-terminal, 7.6
test("at the first start it fetches the sign-in methods and exchanges a password for a key", async () => {
  const { realm, hamlet } = await company();
  const password_hash = await hashPassword("Basalt-7f3a-tide");
  await realm.ctx.db.updateTable("users").set({ password_hash }).where("id", "=", hamlet.id).execute();

  const settings = await exchange(realm, "/api/v1/server_settings", { headers: { "user-agent": agent } });
  const signedIn = await exchange(realm, "/api/v1/fetch_api_key", {
    method: "POST",
    headers: { "user-agent": agent },
    body: new URLSearchParams({ username: hamlet.email, password: "Basalt-7f3a-tide" }),
  });

  expect(settings.json).toMatchObject({
    realm_uri: expect.stringMatching(/^https?:\/\//),
    email_auth_enabled: true,
    require_email_format_usernames: true,
  });
  expect(signedIn).toMatchObject({ status: 200, json: { api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/) } });
});

// clients 1 zulip-terminal, 2.10
test("its requests at startup work in their order, and its own messages are read", async () => {
  const { hamlet, channel, ophelia, terminal } = await company();
  await sendToChannel(ophelia, channel);

  await terminal.answer(terminal.get("/server_settings"));
  const page = await firstPage(terminal);
  const queue = await register(terminal);
  const present = await terminal.answer(
    terminal.post("/users/me/presence", { status: "active", new_user_input: "true", ping_only: "false" }),
  );
  const { id } = await terminal.answer(
    terminal.post("/messages", {
      type: "stream",
      to: '["Denmark"]',
      subject: "watch",
      content: "x",
      read_by_sender: "true",
    }),
  );
  const unsaid = await terminal.answer(
    terminal.post("/messages", { type: "stream", to: '["Denmark"]', subject: "watch", content: "x" }),
  );
  const event = await nextOf(terminal.follow(queue), "message");

  expect(idsOf(page)).toHaveLength(1);
  expect(present).toHaveProperty("presences");
  expect(event).toMatchObject({ flags: ["read"], message: { id, client: "ZulipTerminal" } });
  expect(await flagsFor(hamlet, Number(unsaid["id"]))).toEqual(["read"]);
});

// clients 4 *T
test("registration has every field it requires", async () => {
  const { realm, hamlet, ophelia, channel, terminal } = await company();
  await sendDirect(ophelia, [hamlet]);
  await sendDirect(ophelia, [hamlet, realm.admin]);
  await sendToChannel(ophelia, channel);

  const state = await register(terminal);

  const fields = `queue_id last_event_id max_message_id zulip_version zulip_feature_level zulip_merge_base user_id email
    full_name realm_users cross_realm_bots presences subscriptions unread_msgs starred_messages muted_topics
    realm_user_groups realm_emoji custom_profile_fields user_settings realm_name realm_message_retention_days
    realm_allow_message_editing realm_message_content_edit_limit_seconds realm_allow_edit_history`;
  expect(missing(state, fields)).toEqual([]);
  expect(state).toMatchObject({
    queue_id: expect.any(String),
    last_event_id: expect.any(Number),
    user_id: hamlet.id,
    email: hamlet.email,
    full_name: "hamlet",
    realm_message_retention_days: -1,
    realm_users: expect.arrayContaining([expect.objectContaining({ user_id: hamlet.id })]),
  });
  expect(
    missing(
      state["user_settings"],
      "twenty_four_hour_time send_private_typing_notifications pm_content_in_desktop_notifications",
    ),
  ).toEqual([]);
  const [subscription] = state["subscriptions"] as unknown[]; // as documented
  expect(
    missing(
      subscription,
      `stream_id name color description invite_only pin_to_top is_muted desktop_notifications message_retention_days
       subscribers`,
    ),
  ).toEqual([]);
  expect(subscription).toMatchObject({ subscribers: [hamlet.id, ophelia.id] });
  for (const group of state["realm_user_groups"] as unknown[])
    expect(missing(group, "id name description members direct_subgroup_ids is_system_group")).toEqual([]);
});

// clients 4 unread_msgs, 11.10
test("each unread direct conversation lists both user IDs in ascending order", async () => {
  const { hamlet, ophelia, terminal } = await company();
  const ids = [await sendDirect(ophelia, [hamlet]), await sendDirect(ophelia, [hamlet])];

  const { unread_msgs: unread } = await register(terminal);

  expect(missing(unread, "count pms streams huddles mentions old_unreads_missing")).toEqual([]);
  expect(unread).toMatchObject({
    count: 2,
    pms: [{ other_user_id: ophelia.id, sender_id: ophelia.id, unread_message_ids: ids }],
  });
});

// clients 4 muted_topics, 11.10
test("muted topics are triples for clients that request them by their old name", async () => {
  const { terminal } = await company();
  const mute = { stream: "Denmark", topic: "watch", op: "add" };
  await terminal.answer(terminal.send("PATCH", "/users/me/subscriptions/muted_topics", mute));

  expect(await register(terminal)).toMatchObject({ muted_topics: [["Denmark", "watch", expect.any(Number)]] });
});

// clients 3 message object
test("a message has every field it requires", async () => {
  const { hamlet, ophelia, channel, terminal } = await company();
  await sendToChannel(ophelia, channel);
  await sendDirect(ophelia, [hamlet]);

  const [inChannel, direct] = messagesOf(await firstPage(terminal));

  const fields = `id type sender_id sender_email sender_full_name display_recipient subject content timestamp reactions
    is_me_message flags`;
  expect(missing(inChannel, `${fields} stream_id`)).toEqual([]);
  expect(missing(direct, fields)).toEqual([]);
  expect(direct).toMatchObject({
    subject: "",
    topic_links: [],
    display_recipient: [
      { id: hamlet.id, email: hamlet.email, full_name: "hamlet" },
      { id: ophelia.id, email: ophelia.email, full_name: "ophelia" },
    ],
  });
});

// clients 3.5, 11.4
test("without unread messages the anchor is the largest possible number, not a message", async () => {
  const { hamlet, terminal } = await company();
  const id = await sendDirect(hamlet, [hamlet], { readBySender: true });

  expect(await firstPage(terminal)).toMatchObject({ anchor: newestAnchor, messages: [{ id }] });
});

// clients 2.7, 11.6
test("the largest anchor is accepted as a number, and so is the old parameter for the first unread message", async () => {
  const { hamlet, ophelia, terminal } = await company();
  const [read, unread] = [
    await sendDirect(hamlet, [hamlet], { readBySender: true }),
    await sendDirect(ophelia, [hamlet]),
  ];
  const around = { num_before: "1", num_after: "0" };

  const last = await terminal.answer(terminal.get("/messages", { anchor: String(newestAnchor), ...around }));
  const old = await terminal.answer(
    terminal.get("/messages", { anchor: "0", use_first_unread_anchor: "true", ...around }),
  );
  const named = await Promise.all(
    ["newest", "oldest", "first_unread", String(read)].map((anchor) =>
      terminal.answer(terminal.get("/messages", { anchor, ...around })),
    ),
  );

  expect(last).toMatchObject({ anchor: newestAnchor, messages: [{ id: unread }] });
  expect(old).toMatchObject({ anchor: unread, messages: [{ id: read }, { id: unread }] });
  expect(named.map((answer) => idsOf(answer))).toEqual([[unread], [], [read, unread], [read]]);
});

// clients 7.1, 11.5
test("a new account has a message to show", async () => {
  const { realm } = await company();
  const made = { email: `new@${realm.host}`, password: "Basalt-7f3a-tide", full_name: "Newcomer" };
  const { user_id } = success(await realm.admin.call(createUser, made));
  const { json } = await exchange(realm, "/api/v1/fetch_api_key", {
    method: "POST",
    body: new URLSearchParams({ username: made.email, password: made.password }),
  });
  const account = new TestUser(realm, user_id, made.email, made.full_name, String(json["api_key"]));

  const page = await firstPage(new ClientProgram(account, agent));

  expect(idsOf(page)).toHaveLength(1);
});

// clients 7.2
test("its first page has only messages that the user received", async () => {
  const { realm, hamlet, ophelia, terminal } = await company();
  const elsewhere = await channelOf([realm.admin, ophelia], "Norway");
  await sendToChannel(ophelia, elsewhere);
  const id = await sendDirect(ophelia, [hamlet]);

  expect(idsOf(await firstPage(terminal))).toEqual([id]);
});

// clients 4 presences, 7.3, 11.9
test("presence has the old format, in registration and in the response to its own reports", async () => {
  const { ophelia, terminal } = await company();
  const other = new ClientProgram(ophelia, agent);
  await untilOnEveryNode(ophelia, () => other.answer(other.post("/users/me/presence", { status: "active" })));

  const legacy = { client: "website", status: "active", timestamp: expect.any(Number) as number };
  const presences = { [ophelia.email]: { aggregated: legacy, website: legacy } };
  expect(await register(terminal)).toMatchObject({ presences });
  expect(await terminal.answer(terminal.post("/users/me/presence", { status: "active" }))).toMatchObject({ presences });
});

// clients 7.4
test("a typing notification without a type is for a direct message", async () => {
  const { hamlet, ophelia, terminal } = await company();
  const queue = await ophelia.register(["typing"]);

  await terminal.answer(terminal.post("/typing", { op: "start", to: `[${ophelia.id}]` }));

  expect(await queue.next()).toMatchObject({
    op: "start",
    message_type: "direct",
    sender: { user_id: hamlet.id, email: hamlet.email },
  });
});

// clients 7.5
test("a channel that the user was added to is listed at the next start", async () => {
  const { realm, hamlet, terminal } = await company();
  await register(terminal);
  await channelOf([realm.admin, hamlet], "Norway");

  const { subscriptions } = await register(terminal);

  expect(subscriptions).toMatchObject([{ name: "Denmark" }, { name: "Norway" }]);
});

// clients 2.1, 2.3, 7.6
test("its other calls work", async () => {
  const { hamlet, channel, terminal } = await company();
  const id = await sendToChannel(hamlet, channel, { content: "**words**" });
  const { queue_id } = await register(terminal);
  const ask = (path: string, query = {}) => terminal.answer(terminal.get(path, query));

  expect(await ask(`/users/me/${channel.id}/topics`)).toMatchObject({ topics: [{ name: "talk", max_id: id }] });
  expect(await ask(`/streams/${channel.id}/email_address`)).toMatchObject({ email: expect.any(String) });
  expect(await ask(`/messages/${id}`)).toMatchObject({ raw_content: "**words**" });
  expect(await ask(`/messages/${id}/history`, { message_id: String(id) })).toMatchObject({
    message_history: [{ content: "**words**" }],
  });
  const flags = { messages: `[${id}]`, op: "add", flag: "starred" };
  expect(await terminal.answer(terminal.post("/messages/flags", flags))).toMatchObject({ messages: [id] });
  const reaction = { emoji_name: "thumbs_up", emoji_code: "1f44d", reaction_type: "unicode_emoji" };
  await terminal.answer(terminal.post(`/messages/${id}/reactions`, { ...reaction, message_id: String(id) }));
  await terminal.answer(terminal.send("DELETE", `/messages/${id}/reactions`, { ...reaction, message_id: String(id) }));
  const change = [{ property: "is_muted", stream_id: channel.id, value: true }];
  await terminal.answer(
    terminal.post("/users/me/subscriptions/properties", { subscription_data: JSON.stringify(change) }),
  );
  await terminal.answer(terminal.send("DELETE", "/events", { queue_id: String(queue_id) }));
});

// clients 2.7
test("a moved topic is fetched with the largest anchor", async () => {
  const { hamlet, channel, terminal } = await company();
  const id = await sendToChannel(hamlet, channel, { topic: "watch" });
  const move = { message_id: String(id), topic: "ghost", propagate_mode: "change_all" };
  await terminal.answer(terminal.send("PATCH", `/messages/${id}`, move));

  const narrow = JSON.stringify([
    ["stream", "Denmark"],
    ["topic", "ghost"],
  ]);
  const query = { anchor: String(newestAnchor), num_before: "10", num_after: "0", apply_markdown: "true", narrow };
  expect(idsOf(await terminal.answer(terminal.get("/messages", query)))).toContain(id);
});
