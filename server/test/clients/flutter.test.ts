/**
 * The mobile app. It accepts only status 200, discards a whole queue if one event lacks a field, and requires every ID to be
 * a number.
 */
import { expect, test } from "vitest";
import { hashPassword } from "../../src/domain/people/auth/passwords.ts";
import { newRealm, type TestUser } from "../realm.ts";
import { channelOf, flagsFor, messageFor, sendToChannel, sendDirect } from "../actions.ts";
import { ClientProgram, exchange, missing, multipart, nextOf, type Exchange, type WireEvent } from "./wire.ts";

const agent = "ZulipFlutter/30.0.274+274 (Android 14)";
const done = { result: "success", msg: "" };

async function company() {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "Denmark");
  return { realm, hamlet, ophelia, channel, flutter: new ClientProgram(hamlet, agent) };
}

/** Some of its capabilities are newer than this protocol, and it sends strings with quotes. */
const registration = {
  apply_markdown: "true",
  client_gravatar: "false",
  slim_presence: "true",
  idle_queue_timeout: '"mobile"',
  client_capabilities: JSON.stringify({
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_avatar_url_field_optional: false,
    stream_typing_notifications: true,
    user_settings_object: true,
    include_deactivated_groups: true,
    empty_topic_name: true,
    individual_emoji_changes: true,
  }),
};

const register = (flutter: ClientProgram) => flutter.answer(flutter.post("/register", registration));

const listOf = (state: Exchange["json"], name: string) => state[name] as Record<string, unknown>[]; // as documented

// clients 1 Flutter, 8.1
test("the server settings have everything it needs before signing in", async () => {
  const { realm } = await company();

  const { status, json } = await exchange(realm, "/api/v1/server_settings", { headers: { "user-agent": agent } });

  expect(status).toBe(200);
  expect(json).toMatchObject({
    authentication_methods: { password: true, ldap: false },
    external_authentication_methods: expect.any(Array),
    zulip_feature_level: expect.any(Number),
    zulip_version: expect.any(String),
    zulip_merge_base: expect.any(String),
    push_notifications_enabled: expect.any(Boolean),
    is_incompatible: false,
    email_auth_enabled: true,
    require_email_format_usernames: true,
    realm_uri: `http://${realm.host}`,
    realm_name: expect.any(String),
    realm_icon: expect.any(String),
    realm_description: expect.any(String),
    realm_web_public_access_enabled: expect.any(Boolean),
  });
});

// clients 1 Flutter
test("the feature level is recent enough that it shows no banner", async () => {
  const { realm } = await company();

  const { json } = await exchange(realm, "/api/v1/server_settings", { headers: { "user-agent": "ZulipFlutter" } });

  expect(json["zulip_feature_level"]).toBeGreaterThanOrEqual(467);
});

// clients 8.2, 8.3
test("a password is exchanged for a key of 32 characters, the length of its one-time pad", async () => {
  const { realm, hamlet } = await company();
  const password_hash = await hashPassword("Basalt-7f3a-tide");
  await realm.ctx.db.updateTable("users").set({ password_hash }).where("id", "=", hamlet.id).execute();

  const { status, json } = await exchange(realm, "/api/v1/fetch_api_key", {
    method: "POST",
    headers: { "user-agent": agent },
    body: new URLSearchParams({ username: hamlet.email, password: "Basalt-7f3a-tide" }),
  });

  expect(status).toBe(200);
  expect(json).toEqual({
    ...done,
    api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
    email: hamlet.email,
    user_id: hamlet.id,
  });
});

// clients 2.3, 2.4
test("parameters newer than the server are ignored and reported; a string may be quoted", async () => {
  const { flutter } = await company();

  const state = await register(flutter);
  const newer = await flutter.answer(flutter.post("/register", { ...registration, of_a_later_level: "true" }));

  expect(state).not.toHaveProperty("ignored_parameters_unsupported");
  expect(state["idle_queue_timeout_secs"]).toBeGreaterThan(3600);
  expect(newer).toMatchObject({ ignored_parameters_unsupported: ["of_a_later_level"] });
});

// clients 4 *F, 11.11
test("registration has every field it requires", async () => {
  const { hamlet, ophelia, channel, flutter } = await company();
  await sendDirect(ophelia, [hamlet]);
  await sendToChannel(ophelia, channel);

  const state = await register(flutter);

  const fields = `queue_id last_event_id zulip_version zulip_feature_level zulip_merge_base realm_users cross_realm_bots
    realm_non_active_users presences subscriptions streams unread_msgs starred_messages user_topics muted_users
    alert_words recent_private_conversations user_status realm_user_groups realm_emoji custom_profile_fields
    user_settings realm_name realm_allow_message_editing realm_message_content_edit_limit_seconds
    realm_wildcard_mention_policy realm_waiting_period_threshold realm_enable_read_receipts realm_presence_disabled
    realm_icon_url realm_default_external_accounts max_stream_name_length max_topic_length max_file_upload_size_mib
    server_presence_ping_interval_seconds server_presence_offline_threshold_seconds
    event_queue_longpoll_timeout_seconds server_emoji_data_url realm_empty_topic_display_name realm_mandatory_topics
    server_typing_started_expiry_period_milliseconds server_typing_started_wait_period_milliseconds
    server_typing_stopped_wait_period_milliseconds server_thumbnail_formats saved_snippets
    realm_can_delete_any_message_group realm_can_delete_own_message_group`;
  expect(missing(state, fields)).toEqual([]);
  expect(state).toMatchObject({
    zulip_merge_base: expect.any(String),
    event_queue_longpoll_timeout_seconds: 90,
    user_status: {},
    realm_wildcard_mention_policy: expect.toSatisfy((policy) => [1, 2, 3, 5, 6, 7].includes(Number(policy))),
    unread_msgs: { pms: [{ other_user_id: ophelia.id, sender_id: ophelia.id }] },
    presences: {},
  });
  const settings =
    "twenty_four_hour_time starred_message_counts display_emoji_reaction_users emojiset presence_enabled";
  expect(missing(state["user_settings"], settings)).toEqual([]);
});

// clients 4 realm_users, 4 subscriptions, 4 streams, 8.6
test("users and channels have every field it requires, and every ID is an integer", async () => {
  const { hamlet, channel, flutter } = await company();

  const state = await register(flutter);

  const people = [...listOf(state, "realm_users"), ...listOf(state, "cross_realm_bots")];
  const person = `user_id email full_name date_joined is_bot role timezone avatar_version delivery_email avatar_url`;
  for (const user of people) expect(missing(user, person)).toEqual([]);
  expect(people.map(({ user_id }) => user_id)).toContain(hamlet.id);
  const named = `stream_id name description rendered_description date_created invite_only is_web_public
    history_public_to_subscribers message_retention_days stream_post_policy`;
  const [subscription] = listOf(state, "subscriptions");
  expect(missing(subscription, `${named} color pin_to_top is_muted desktop_notifications`)).toEqual([]);
  expect(subscription).toMatchObject({ stream_id: channel.id, color: expect.stringMatching(/^#[0-9a-f]{6}$/) });
  for (const stream of listOf(state, "streams")) expect(missing(stream, named)).toEqual([]);
  const ids = [...people.map((user) => user["user_id"]), ...listOf(state, "streams").map((one) => one["stream_id"])];
  expect(ids.every((id) => Number.isInteger(id))).toBe(true);
  for (const group of listOf(state, "realm_user_groups"))
    expect(missing(group, "id name description members direct_subgroup_ids is_system_group deactivated")).toEqual([]);
});

// clients 4 server_emoji_data_url, 11.12
test("emoji names have a separate URL that anyone can fetch", async () => {
  const { realm, flutter } = await company();
  const { server_emoji_data_url: address } = await register(flutter);

  const url = new URL(String(address)); // throws unless it is a complete URL
  const { status, json } = await exchange(realm, url.pathname, { headers: { "user-agent": agent } });

  expect(status).toBe(200);
  expect(json).toMatchObject({ code_to_names: { "1f44d": ["+1", "thumbs_up", "like"] } });
});

// clients 3.4, 8.4
test("a page of messages has all six metadata fields, for every operator it uses", async () => {
  const { hamlet, ophelia, channel, flutter } = await company();
  const id = await sendToChannel(ophelia, channel, { topic: "", content: "a ghost" });
  const direct = await sendDirect(ophelia, [hamlet], { content: "a ghost" });
  const page = (narrow: unknown) =>
    flutter.answer(
      flutter.get("/messages", {
        anchor: "first_unread",
        num_before: "100",
        num_after: "100",
        allow_empty_topic_name: "true",
        narrow: JSON.stringify(narrow),
      }),
    );
  const operator = (name: string, operand: unknown) => ({ operator: name, operand });

  const inChannel = [
    [operator("channel", channel.id)],
    [operator("channel", channel.id), operator("topic", "")],
    [operator("with", id)],
    [operator("id", id)],
    [operator("search", "ghost"), operator("channel", channel.id)],
  ];
  for (const narrow of inChannel) {
    const answer = await page(narrow);
    expect(missing(answer, "messages anchor found_anchor found_newest found_oldest history_limited")).toEqual([]);
    expect(answer, JSON.stringify(narrow)).toMatchObject({ messages: [{ id, subject: "" }] });
  }
  for (const narrow of [[operator("dm", [ophelia.id])], [operator("is", "dm")]])
    expect(await page(narrow)).toMatchObject({ messages: [{ id: direct }] });
});

// clients 3 message object
test("a message has the fields it requires, with HTML by default", async () => {
  const { hamlet, ophelia, flutter } = await company();
  const id = await sendDirect(ophelia, [hamlet], { content: "**words**" });

  const { message } = await flutter.answer(flutter.get(`/messages/${id}`, { allow_empty_topic_name: "true" }));

  const fields = `id type sender_id sender_email sender_full_name display_recipient subject content timestamp reactions
    is_me_message flags client content_type sender_realm_str recipient_id submessages topic_links`;
  expect(missing(message, fields)).toEqual([]);
  expect(message).toMatchObject({ content: "<p><strong>words</strong></p>", content_type: "text/html" });
});

// clients 2.10, 8.4, 3 event message
test("a message it sends arrives in its queue with its local ID", async () => {
  const { hamlet, ophelia, channel, flutter } = await company();
  const queue = await register(flutter);
  const other = new ClientProgram(ophelia, agent);
  const elsewhere = other.follow(await register(other));
  const own = { queue_id: String(queue["queue_id"]), local_id: "17.4", read_by_sender: "true" };

  const { id } = await flutter.answer(
    flutter.post("/messages", { type: "channel", to: String(channel.id), topic: "watch", content: "**x**", ...own }),
  );
  await flutter.answer(flutter.post("/messages", { type: "direct", to: `[${ophelia.id}]`, content: "x", ...own }));

  const event = await nextOf(flutter.follow(queue), "message");
  expect(event).toMatchObject({
    flags: ["read"],
    local_message_id: "17.4",
    message: { id, client: "ZulipFlutter", content: "<p><strong>x</strong></p>" },
  });
  expect(event["message"]).not.toHaveProperty("flags");
  expect(await nextOf(elsewhere, "message")).not.toHaveProperty("local_message_id");
  expect(await flagsFor(hamlet, Number(id))).toEqual(["read"]);
});

// clients 3 event update_message
test("an edit has no fields of a move, and a move has its source and destination", async () => {
  const { hamlet, channel, flutter } = await company();
  const elsewhere = await channelOf([hamlet], "Norway");
  const id = await sendToChannel(hamlet, channel, { topic: "watch" });
  const events = flutter.follow(await register(flutter));
  const common = "message_id message_ids flags edit_timestamp rendering_only user_id";
  const next = async (form: Record<string, string>): Promise<WireEvent> => {
    await flutter.answer(flutter.send("PATCH", `/messages/${id}`, form));
    const event = await nextOf(events, "update_message");
    expect(missing(event, common)).toEqual([]);
    return event;
  };

  const edit = await next({ content: "better" });
  const renamed = await next({ topic: "ghost", propagate_mode: "change_all" });
  const moved = await next({ stream_id: String(elsewhere.id), propagate_mode: "change_all" });

  expect(missing(edit, "content rendered_content is_me_message orig_content orig_rendered_content")).toEqual([]);
  expect(edit).not.toHaveProperty("propagate_mode");
  expect(missing(renamed, "stream_id orig_subject propagate_mode subject")).toEqual([]);
  expect(renamed).toMatchObject({ orig_subject: "watch", subject: "ghost", stream_id: channel.id });
  expect(missing(moved, "stream_id orig_subject propagate_mode new_stream_id")).toEqual([]);
  expect(moved).toMatchObject({ new_stream_id: elsewhere.id, propagate_mode: "change_all" });
});

// clients 3 event update_message_flags
test("flag events list the changed messages, and where unread ones are", async () => {
  const { hamlet, ophelia, channel, flutter } = await company();
  const ids = [await sendToChannel(ophelia, channel, { topic: "watch" }), await sendDirect(ophelia, [hamlet])];
  const events = flutter.follow(await register(flutter));
  const flags = { messages: JSON.stringify(ids), flag: "read" };

  await flutter.answer(flutter.post("/messages/flags", { ...flags, op: "add" }));
  const added = await nextOf(events, "update_message_flags");
  await flutter.answer(flutter.post("/messages/flags", { ...flags, op: "remove" }));
  const removed = await nextOf(events, "update_message_flags");

  expect(added).toMatchObject({ op: "add", flag: "read", messages: ids, all: false });
  expect(removed).toMatchObject({
    op: "remove",
    flag: "read",
    messages: ids,
    all: false,
    message_details: {
      [String(ids[0])]: { type: "stream", stream_id: channel.id, topic: "watch" },
      [String(ids[1])]: { type: "private", user_ids: [ophelia.id] },
    },
  });
});

// clients 3 event delete_message, 3 event reaction, 3 event typing
test("reactions, typing and deletions have every field", async () => {
  const { hamlet, ophelia, channel, flutter } = await company();
  const id = await sendToChannel(hamlet, channel, { topic: "watch" });
  const other = new ClientProgram(ophelia, agent);
  const events = other.follow(await register(other));
  const emoji = { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" };

  await flutter.answer(flutter.post(`/messages/${id}/reactions`, emoji));
  await flutter.answer(flutter.send("DELETE", `/messages/${id}/reactions`, emoji));
  for (const op of ["add", "remove"])
    expect(await nextOf(events, "reaction")).toMatchObject({ op, ...emoji, user_id: hamlet.id, message_id: id });

  await flutter.answer(flutter.post("/typing", { op: "start", type: "direct", to: `[${ophelia.id}]` }));
  const inTopic = { op: "start", type: "channel", stream_id: String(channel.id), topic: "watch" };
  await flutter.answer(flutter.post("/typing", inTopic));
  const sender = { user_id: hamlet.id, email: hamlet.email };
  const recipients = [sender, { user_id: ophelia.id, email: ophelia.email }];
  expect(await nextOf(events, "typing")).toMatchObject({ op: "start", message_type: "direct", sender, recipients });
  expect(await nextOf(events, "typing")).toMatchObject({
    op: "start",
    message_type: "stream",
    sender,
    stream_id: channel.id,
    topic: "watch",
  });

  await flutter.answer(flutter.send("DELETE", `/messages/${id}`));
  expect(await nextOf(events, "delete_message")).toMatchObject({
    message_ids: [id],
    message_type: "stream",
    stream_id: channel.id,
    topic: "watch",
  });
});

// clients 3 event presence, 8.5
test("presence is reported by user ID, with all fields", async () => {
  const { ophelia, flutter } = await company();
  const other = new ClientProgram(ophelia, agent);
  const events = flutter.follow(await register(flutter));
  const ping = { last_update_id: "-1", history_limit_days: "14", new_user_input: "true", ping_only: "false" };

  const answer = await other.answer(other.post("/users/me/presence", { ...ping, status: "active" }));
  const event = await nextOf(events, "presence");
  const silent = await other.answer(other.post("/users/me/presence", { ...ping, status: "active", ping_only: "true" }));

  expect(missing(answer, "presence_last_update_id server_timestamp presences")).toEqual([]);
  expect(event).toMatchObject({
    user_id: ophelia.id,
    server_timestamp: expect.any(Number),
    presence: { website: { client: "website", status: "active", timestamp: expect.any(Number), pushable: false } },
  });
  expect(silent).toMatchObject(done);
});

// clients 3 event subscription, 3 event stream
test("changes of channels and subscriptions have every field", async () => {
  const { hamlet, realm, channel, flutter } = await company();
  const owner = new ClientProgram(realm.admin, agent);
  const events = flutter.follow(await register(flutter));

  await owner.answer(
    owner.post("/users/me/subscriptions", {
      subscriptions: '[{"name": "Norway"}]',
      principals: `[${hamlet.id}, ${realm.admin.id}]`,
    }),
  );
  const created = await nextOf(events, "stream", "create");
  const added = await nextOf(events, "subscription", "add");
  const [norway] = listOf(created, "streams");
  const id = Number(norway?.["stream_id"]);
  expect(norway).toMatchObject({ name: "Norway" });
  expect(listOf(added, "subscriptions")).toMatchObject([
    { stream_id: id, name: "Norway", color: expect.stringMatching(/^#[0-9a-f]{6}$/), is_muted: false },
  ]);

  const change = [{ property: "is_muted", stream_id: channel.id, value: true }];
  await flutter.answer(
    flutter.post("/users/me/subscriptions/properties", { subscription_data: JSON.stringify(change) }),
  );
  const updates = [await nextOf(events, "subscription", "update"), await nextOf(events, "subscription", "update")];
  expect(updates).toMatchObject([
    { stream_id: channel.id, property: "in_home_view", value: false },
    { stream_id: channel.id, property: "is_muted", value: true },
  ]);

  await owner.answer(owner.post("/users/me/subscriptions", { subscriptions: '[{"name": "Denmark"}]' }));
  expect(await nextOf(events, "subscription", "peer_add")).toMatchObject({
    stream_ids: [channel.id],
    user_ids: [realm.admin.id],
  });
  await owner.answer(owner.send("DELETE", "/users/me/subscriptions", { subscriptions: '["Denmark"]' }));
  expect(await nextOf(events, "subscription", "peer_remove")).toMatchObject({
    stream_ids: [channel.id],
    user_ids: [realm.admin.id],
  });

  await owner.answer(owner.send("PATCH", `/streams/${id}`, { description: "**cold**" }));
  expect(await nextOf(events, "stream", "update")).toMatchObject({
    stream_id: id,
    name: "Norway",
    property: "description",
    value: "**cold**",
    rendered_description: "<p><strong>cold</strong></p>",
  });
  await flutter.answer(flutter.send("DELETE", "/users/me/subscriptions", { subscriptions: '["Norway"]' }));
  expect(await nextOf(events, "subscription", "remove")).toMatchObject({
    subscriptions: [{ stream_id: id, name: "Norway" }],
  });
  await owner.answer(owner.send("DELETE", `/streams/${id}`));
  expect(await nextOf(events, "stream", "delete")).toMatchObject({ stream_ids: [id], streams: [{ stream_id: id }] });
});

// clients 3 event realm_user, 3 event user_topic, 3 event user_settings
test("changes of users and of the user's own settings have every field", async () => {
  const { realm, channel, flutter } = await company();
  const owner = new ClientProgram(realm.admin, agent);
  const events = flutter.follow(await register(flutter));

  const newcomer = { email: `new@${realm.host}`, password: "Basalt-7f3a-tide", full_name: "Newcomer" };
  const { user_id } = await owner.answer(owner.post("/users", newcomer));
  const { person } = await nextOf(events, "realm_user", "add");
  const fields = `user_id email full_name date_joined is_bot role timezone avatar_version delivery_email avatar_url`;
  expect(missing(person, fields)).toEqual([]);
  await owner.answer(owner.send("PATCH", `/users/${String(user_id)}`, { full_name: "Old hand" }));
  expect(await nextOf(events, "realm_user", "update")).toMatchObject({ person: { user_id, full_name: "Old hand" } });

  const mute = { stream_id: String(channel.id), topic: "watch", visibility_policy: "1" };
  await flutter.answer(flutter.post("/user_topics", mute));
  expect(await nextOf(events, "user_topic")).toMatchObject({
    stream_id: channel.id,
    topic_name: "watch",
    last_updated: expect.any(Number),
    visibility_policy: 1,
  });
  await flutter.answer(flutter.send("PATCH", "/settings", { twenty_four_hour_time: "true" }));
  expect(await nextOf(events, "user_settings")).toMatchObject({
    op: "update",
    property: "twenty_four_hour_time",
    value: true,
  });
});

// clients 3 event ids
test("event IDs grow within a queue", async () => {
  const { hamlet, flutter } = await company();
  const queue = await register(flutter);
  const events = flutter.follow(queue);
  const ids = [Number(queue["last_event_id"])];
  for (let round = 0; round < 3; round++) {
    await sendDirect(hamlet, [hamlet]);
    ids.push(Number((await nextOf(events, "message"))["id"]));
  }

  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(new Set(ids).size).toBe(ids.length);
});

// clients 2.8, 2.11
test("files are uploaded in the field `file`, and downloaded with the same credentials", async () => {
  const { realm, hamlet, flutter } = await company();
  const { type, body } = multipart([
    {
      head: 'content-type: text/plain; charset=utf-8\r\ncontent-disposition: form-data; name="file"; filename="Größe.txt"',
      body: "three inches",
    },
  ]);

  const { json } = await exchange(realm, "/api/v1/user_uploads", {
    method: "POST",
    headers: { ...flutter.headers, "content-type": type },
    body,
  });
  const path = String(json["uri"]);
  const { url } = await flutter.answer(flutter.get(path));

  expect(json).toMatchObject({ ...done, filename: "Größe.txt" });
  expect((await exchange(realm, path, { headers: flutter.headers })).status).toBe(200);
  expect((await exchange(realm, String(url))).status).toBe(200);
  expect((await exchange(realm, path)).status).not.toBe(200);
  const avatar = await exchange(realm, `/avatar/${hamlet.id}`, { headers: flutter.headers });
  expect([avatar.status, avatar.headers.get("content-type")]).toEqual([200, "image/png"]);
});

// clients 8.5
test("its other calls work", async () => {
  const { hamlet, ophelia, channel, flutter } = await company();
  const id = await sendToChannel(ophelia, channel, { topic: "watch" });
  const ask = (path: string) => flutter.answer(flutter.get(path));
  const post = (path: string, form: Record<string, string> = {}) => flutter.answer(flutter.post(path, form));

  const narrow = JSON.stringify([{ operator: "channel", operand: channel.id }]);
  const range = { anchor: "oldest", include_anchor: "true", num_before: "0", num_after: "1000", narrow };
  expect(await post("/messages/flags/narrow", { ...range, op: "add", flag: "read" })).toMatchObject({
    processed_count: 1,
    updated_count: 1,
    first_processed_id: id,
    last_processed_id: id,
    found_oldest: true,
    found_newest: true,
  });
  expect(await ask(`/messages/${id}/read_receipts`)).toMatchObject({ user_ids: expect.arrayContaining([hamlet.id]) });
  expect(await ask(`/users/me/${channel.id}/topics`)).toMatchObject({ topics: [{ name: "watch", max_id: id }] });
  await post("/users/me/status", {
    status_text: "reading",
    emoji_name: "book",
    emoji_code: "1f4d6",
    reaction_type: "unicode_emoji",
  });
  const content = "/poll Now?\nyes\nno";
  const poll = await post("/messages", { type: "channel", to: String(channel.id), topic: "watch", content });
  const vote = JSON.stringify({ type: "vote", key: "canned,0", vote: 1 });
  await post("/submessage", { message_id: String(poll["id"]), msg_type: "widget", content: vote });
  const { submessages } = await messageFor(hamlet, Number(poll["id"]));
  expect(submessages.map((one) => missing(one, "id msg_type content message_id sender_id"))).toEqual([[], []]);
  // It registers its token even if the server cannot push.
  await post("/users/me/android_gcm_reg_id", { token: "a-token-of-this-phone" });
  await post("/users/me/apns_device_token", { token: "0123456789abcdef", appid: "org.example.app" });
  expect(await post("/saved_snippets", { title: "bye", content: "Adieu" })).toMatchObject({
    saved_snippet_id: expect.any(Number),
  });
  expect(await post("/user_topics", { stream_id: String(channel.id), topic: "watch", visibility_policy: "3" })).toEqual(
    done,
  );
});

// clients 3.1
test("a revoked key gets 401, which signs the account out", async () => {
  const { hamlet, flutter } = await company();
  const other = new ClientProgram(hamlet, agent);
  const { api_key } = await other.answer(other.post("/users/me/api_key/regenerate"));

  const { status, json } = await flutter.post("/register", registration);

  expect(api_key).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(status).toBe(401);
  expect(json).toMatchObject({ result: "error", code: "UNAUTHORIZED" });
});

// clients 8.7
test("the topic name (no topic) means the empty topic", async () => {
  const { hamlet, channel, flutter } = await company();
  const form = { type: "channel", to: String(channel.id), topic: "(no topic)", content: "x" };

  const { id } = await flutter.answer(flutter.post("/messages", form));

  expect(await subjectOf(hamlet, Number(id))).toBe("");
});

async function subjectOf(user: TestUser, id: number): Promise<unknown> {
  const program = new ClientProgram(user, agent);
  const { message } = await program.answer(program.get(`/messages/${id}`, { allow_empty_topic_name: "true" }));
  return (message as Record<string, unknown>)["subject"];
}
