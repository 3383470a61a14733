/**
 * Runs the published, unmodified zulip-js against two nodes: every documented call, and the content of its responses. The
 * library sends POST as multipart, PATCH and DELETE in the query, and ignores the HTTP status.
 */
import { mkdtemp, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { addAlertWords } from "@skein/api/alert-words.ts";
import { expect, inject, test } from "vitest";
import zulipInit, { type Zulip } from "zulip-js";
import { hashPassword } from "../../src/domain/people/auth/passwords.ts";
import { runProgram } from "../program.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../realm.ts";
import { channelOf, flagsFor, messageFor, sendToChannel, sendDirect } from "../actions.ts";
import { openFrontDoor } from "./front-door.ts";

const done = { result: "success", msg: "" };

interface Company {
  realm: TestRealm;
  /** The URL of the organization. */
  site: string;
  hamlet: TestUser;
  /** Hamlet's program. */
  zulip: Zulip;
}

async function company(): Promise<Company> {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const site = await openFrontDoor(realm);
  return { realm, site, hamlet, zulip: await programOf(hamlet, site) };
}

const programOf = ({ email, apiKey }: TestUser, site: string): Promise<Zulip> =>
  zulipInit({ username: email, apiKey, realm: site });

const idOf = (answer: Record<string, unknown>): number => Number(answer["id"]);

// clients 1 zulip-js, 5
test("it signs in with a key, at a URL with or without /api", async () => {
  const { site, hamlet } = await company();

  for (const realm of [site, `${site}/api`]) {
    const zulip = await zulipInit({ username: hamlet.email, apiKey: hamlet.apiKey, realm });
    expect(await zulip.users.me.getProfile()).toMatchObject({ result: "success", user_id: hamlet.id });
  }
});

// clients 2.1, 11.1
test("it signs in with a password in a multipart form", async () => {
  const { realm, site, hamlet } = await company();
  const password = "Basalt-7f3a-tide";
  const password_hash = await hashPassword(password);
  await realm.ctx.db.updateTable("users").set({ password_hash }).where("id", "=", hamlet.id).execute();

  const zulip = await zulipInit({ username: hamlet.email, password, realm: site });

  expect(zulip.config.apiKey).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(await zulip.users.me.getProfile()).toMatchObject({ result: "success", user_id: hamlet.id });
  expect(await zulip.accounts.retrieve()).toEqual({
    ...done,
    api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
    email: hamlet.email,
    user_id: hamlet.id,
  });
});

test("it signs in with a zuliprc", async () => {
  const { site, hamlet } = await company();
  const zuliprc = join(await mkdtemp(join(inject("scratchFolder"), "zuliprc-")), "zuliprc");
  await writeFile(zuliprc, `[api]\nemail=${hamlet.email}\nkey=${hamlet.apiKey}\nsite=${site}\n`);

  const zulip = await zulipInit({ zuliprc });

  expect(await zulip.users.me.getProfile()).toMatchObject({ result: "success", user_id: hamlet.id });
});

test("the error for a wrong key is JSON, because the library ignores the status", async () => {
  const { site, hamlet } = await company();

  const zulip = await zulipInit({ username: hamlet.email, apiKey: "x".repeat(32), realm: site });

  expect(await zulip.users.me.getProfile()).toMatchObject({ result: "error", code: "UNAUTHORIZED" });
});

test("messages.send accepts the old parameters for a message's destination", async () => {
  const { realm, hamlet, zulip } = await company();
  const ophelia = await realm.user("ophelia");
  const channel = await channelOf([hamlet, ophelia], "Denmark");

  const said = { type: "stream", content: "Who is there?" };
  const inChannel = [
    await zulip.messages.send({ ...said, to: "Denmark", subject: "watch" }),
    await zulip.messages.send({ ...said, to: ["Denmark"], topic: "watch" }),
    await zulip.messages.send({ ...said, to: channel.id, topic: "watch" }),
    await zulip.messages.send({ ...said, to: [channel.id], topic: "watch" }),
  ];
  const direct = [
    await zulip.messages.send({ type: "private", to: ophelia.email, content: "Soft you now" }),
    await zulip.messages.send({ type: "private", to: [ophelia.email], content: "Soft you now" }),
    await zulip.messages.send({ type: "direct", to: [ophelia.id], content: "Soft you now" }),
    await zulip.messages.send({ type: "private", to: [ophelia.id, hamlet.id], content: "Soft you now" }),
    await zulip.messages.send({ type: "private", to: `${ophelia.email},${hamlet.email}`, content: "Soft you now" }),
  ];

  for (const answer of [...inChannel, ...direct]) expect(answer).toMatchObject({ ...done, id: expect.any(Number) });
  for (const answer of inChannel)
    expect(await messageFor(ophelia, idOf(answer))).toMatchObject({
      type: "stream",
      display_recipient: "Denmark",
      stream_id: channel.id,
      subject: "watch",
      client: "node-fetch",
      flags: [],
    });
  const conversations = direct.map(async (answer) => (await messageFor(ophelia, idOf(answer))).recipient_id);
  expect(new Set(await Promise.all(conversations)).size).toBe(1);
  expect(await flagsFor(hamlet, idOf(direct[0] ?? {}))).toEqual([]);
});

test("messages.retrieve fetches messages around an anchor and by a narrow", async () => {
  const { realm, hamlet, zulip } = await company();
  const ophelia = await realm.user("ophelia");
  const channel = await channelOf([hamlet, ophelia], "Denmark");
  const [first, second, third] = [
    await sendToChannel(ophelia, channel),
    await sendToChannel(ophelia, channel),
    await sendToChannel(hamlet, channel),
  ];
  const direct = await sendDirect(ophelia, [hamlet], { content: "My **lord**" });
  const idsOf = async (params: Record<string, unknown>) =>
    ((await zulip.messages.retrieve(params))["messages"] as { id: number }[]).map(({ id }) => id); // as documented

  expect(await zulip.messages.retrieve({ anchor: second, num_before: 1, num_after: 1 })).toMatchObject({
    ...done,
    anchor: second,
    found_anchor: true,
    found_oldest: false,
    found_newest: false,
    history_limited: false,
    messages: [{ id: first }, { id: second }, { id: third }],
  });
  // The documented way to fetch the newest messages.
  expect(await idsOf({ stream: "Denmark", type: "stream", anchor: 1000000000, num_before: 2, num_after: 1 })).toEqual([
    third,
    direct,
  ]);
  const around = { anchor: "newest", num_before: 10, num_after: 0 };
  expect(await idsOf({ ...around, narrow: [{ operator: "is", operand: "private" }] })).toEqual([direct]);
  expect(await idsOf({ ...around, narrow: [{ operator: "sender", operand: hamlet.email }] })).toEqual([third]);
  expect(await idsOf({ ...around, narrow: [["stream", "Denmark"]] })).toEqual([first, second, third]);
  const [html] = (await zulip.messages.retrieve({ anchor: direct, num_before: 0, num_after: 0 }))[
    "messages"
  ] as unknown[]; // as documented
  expect(html).toMatchObject({ content: "<p>My <strong>lord</strong></p>", content_type: "text/html" });
});

// clients 2.2, 2.3, 5, 11.2, 11.3
test("messages.update changes text and topic with parameters in the query", async () => {
  const { hamlet, zulip } = await company();
  const channel = await channelOf([hamlet], "Denmark");
  const id = await sendToChannel(hamlet, channel);

  const edited = await zulip.messages.update({ message_id: id, content: "Words, words & words" });
  const moved = await zulip.messages.update({ message_id: id, topic: "books", propagate_mode: "change_all" });

  for (const answer of [edited, moved])
    expect(answer).toMatchObject({ ...done, detached_uploads: [], ignored_parameters_unsupported: ["message_id"] });
  expect(await messageFor(hamlet, id)).toMatchObject({ content: "<p>Words, words &amp; words</p>", subject: "books" });
});

test("messages.getById and getHistoryById return a message and its edit history", async () => {
  const { hamlet, zulip } = await company();
  const channel = await channelOf([hamlet], "Denmark");
  const id = await sendToChannel(hamlet, channel, { content: "To be" });
  await zulip.messages.update({ message_id: id, content: "Not to be" });

  expect(await zulip.messages.getById({ message_id: id })).toMatchObject({
    ...done,
    raw_content: "Not to be",
    message: { id, content: "<p>Not to be</p>", sender_id: hamlet.id },
  });
  expect(await zulip.messages.getHistoryById({ message_id: id })).toMatchObject({
    ...done,
    message_history: [{ content: "To be" }, { content: "Not to be", prev_content: "To be", user_id: hamlet.id }],
  });
});

test("messages.flags.add and remove change flags", async () => {
  const { realm, hamlet, zulip } = await company();
  const id = await sendDirect(await realm.user("ophelia"), [hamlet]);

  for (const flag of ["read", "starred"]) {
    expect(await zulip.messages.flags.add({ messages: [id], flag })).toMatchObject({ ...done, messages: [id] });
    expect(await flagsFor(hamlet, id)).toEqual([flag]);
    expect(await zulip.messages.flags.remove({ messages: [id], flag })).toMatchObject({ ...done, messages: [id] });
    expect(await flagsFor(hamlet, id)).toEqual([]);
  }
  for (const flag of ["mentioned", "wildcard_mentioned", "has_alert_word", "historical"])
    expect(await zulip.messages.flags.add({ messages: [id], flag })).toMatchObject({ result: "error" });
});

test("messages.render renders a text, given alone or as a parameter", async () => {
  const { zulip } = await company();
  const rendered = { ...done, rendered: "<p><strong>bold</strong></p>" };

  expect(await zulip.messages.render("**bold**")).toEqual(rendered);
  expect(await zulip.messages.render({ content: "**bold**" })).toEqual(rendered);
});

test("messages.deleteById deletes a message if the user may", async () => {
  const { realm, hamlet, zulip } = await company();
  const [own, other] = [await sendDirect(hamlet, [hamlet]), await sendDirect(await realm.user("ophelia"), [hamlet])];

  expect(await zulip.messages.deleteById({ message_id: own })).toMatchObject(done);
  expect(await zulip.messages.getById({ message_id: own })).toMatchObject({ result: "error", code: "BAD_REQUEST" });
  expect(await zulip.messages.deleteById({ message_id: other })).toMatchObject({ result: "error" });
});

// clients 2.2, 3.7, 11.2, 11.13
test("reactions are added and removed by name, by code, and with the message's ID in the query", async () => {
  const { hamlet, zulip } = await company();
  const message_id = await sendDirect(hamlet, [hamlet]);
  const reactions = async () => (await messageFor(hamlet, message_id)).reactions.map(({ emoji_name }) => emoji_name);
  const note = { emoji_name: "music", emoji_code: "1f3b5", reaction_type: "unicode_emoji" };

  expect(await zulip.reactions.add({ message_id, ...note })).toEqual(done);
  expect(await zulip.reactions.add({ message_id, emoji_name: "heart" })).toEqual(done);
  expect(await zulip.reactions.add({ message_id, emoji_name: "tada", reaction_type: "unicode_emoji" })).toEqual(done);
  expect(await reactions()).toEqual(["music", "heart", "tada"]);

  const { emoji_code, reaction_type } = note;
  expect(await zulip.reactions.remove({ message_id, emoji_code, reaction_type })).toEqual(done);
  expect(await zulip.messages.deleteReactionById({ message_id, emoji_name: "heart" })).toEqual({
    ...done,
    ignored_parameters_unsupported: ["message_id"],
  });
  expect(await reactions()).toEqual(["tada"]);
});

test("streams are listed, found by name, and archived; so are subscriptions and topics", async () => {
  const { realm, hamlet, zulip } = await company();
  const channel = await channelOf([hamlet], "Denmark");
  await channelOf([realm.admin], "Norway");
  const max_id = await sendToChannel(hamlet, channel, { topic: "watch" });

  expect(await zulip.streams.retrieve()).toMatchObject({
    ...done,
    streams: expect.arrayContaining([
      expect.objectContaining({ name: "Denmark", stream_id: channel.id }),
      expect.objectContaining({ name: "Norway" }),
    ]),
  });
  expect(await zulip.streams.getStreamId("Denmark")).toEqual({ ...done, stream_id: channel.id });
  expect(await zulip.streams.getStreamId({ stream: "Denmark" })).toEqual({ ...done, stream_id: channel.id });
  expect(await zulip.streams.subscriptions.retrieve()).toMatchObject({
    ...done,
    subscriptions: [{ name: "Denmark", stream_id: channel.id, color: expect.stringMatching(/^#[0-9a-f]{6}$/) }],
  });
  expect(await zulip.streams.topics.retrieve({ stream_id: channel.id })).toEqual({
    ...done,
    topics: [{ name: "watch", max_id }],
  });
  expect(await zulip.streams.deleteById({ stream_id: channel.id })).toMatchObject(done);
  expect(await zulip.streams.subscriptions.retrieve()).toEqual({ ...done, subscriptions: [] });
});

test("users.me.subscriptions adds and removes", async () => {
  const { hamlet, zulip } = await company();

  expect(await zulip.users.me.subscriptions.add({ subscriptions: [{ name: "Denmark" }, { name: "Norway" }] })).toEqual({
    ...done,
    subscribed: { [hamlet.id]: ["Denmark", "Norway"] },
    already_subscribed: {},
    new_subscription_messages_sent: true,
  });
  expect(
    await zulip.users.me.subscriptions.add({ subscriptions: JSON.stringify([{ name: "Denmark" }]) }),
  ).toMatchObject({ ...done, already_subscribed: { [hamlet.id]: ["Denmark"] } });
  expect(await zulip.users.me.subscriptions.remove({ subscriptions: JSON.stringify(["Denmark"]) })).toEqual({
    ...done,
    removed: ["Denmark"],
    not_removed: [],
  });
});

test("users are listed and created; the caller's own profile and alert words are returned", async () => {
  const { realm, site, hamlet, zulip } = await company();
  success(await hamlet.call(addAlertWords, { alert_words: ["ghost"] }));
  const owner = await programOf(realm.admin, site);
  const newcomer = { email: `newbie@${realm.host}`, full_name: "New User", short_name: "newbie" };

  const made = await owner.users.create({ ...newcomer, password: "Basalt-7f3a-tide" });

  expect(made).toEqual({ ...done, user_id: expect.any(Number), ignored_parameters_unsupported: ["short_name"] });
  expect(await zulip.users.retrieve()).toMatchObject({
    ...done,
    members: expect.arrayContaining([
      expect.objectContaining({ user_id: hamlet.id, full_name: "hamlet", is_bot: false, is_active: true }),
      expect.objectContaining({ user_id: made["user_id"], full_name: "New User" }),
    ]),
  });
  expect(await zulip.users.me.getProfile()).toMatchObject({
    ...done,
    user_id: hamlet.id,
    email: hamlet.email,
    full_name: "hamlet",
    is_bot: false,
    is_admin: false,
    max_message_id: expect.any(Number),
  });
  expect(await zulip.users.me.alertWords.retrieve()).toEqual({ ...done, alert_words: ["ghost"] });
  expect(await zulip.users.create({ ...newcomer, password: "x" })).toMatchObject({ result: "error" });
});

// clients 3.2, 3.6, 5, 11.7
test("queues are registered, read from -1 as in the examples, and deleted", async () => {
  const { hamlet, zulip } = await company();
  const { queue_id, last_event_id, ...state } = await zulip.queues.register({ event_types: ["message"] });
  const id = await sendDirect(hamlet, [hamlet], { content: "note **to** self" });

  expect(state).toMatchObject({ ...done, max_message_id: expect.any(Number) });
  for (const last of [-1, last_event_id])
    expect(await zulip.events.retrieve({ queue_id, last_event_id: last })).toMatchObject({
      ...done,
      events: [
        {
          type: "message",
          id: expect.any(Number),
          flags: [],
          message: { id, content: "note **to** self", content_type: "text/x-markdown" },
        },
      ],
    });
  expect(await zulip.queues.deregister({ queue_id })).toEqual(done);
  expect(await zulip.events.retrieve({ queue_id, last_event_id: -1 })).toMatchObject({
    result: "error",
    code: "BAD_EVENT_QUEUE_ID",
    queue_id,
  });
});

test("typing.send notifies the users who would receive the message", async () => {
  const { realm, site, hamlet, zulip } = await company();
  const [ophelia, gertrude] = [await realm.user("ophelia"), await realm.user("gertrude")];
  const reader = await programOf(ophelia, site);
  const { queue_id } = await reader.queues.register({ event_types: ["typing"] });

  expect(await zulip.typing.send({ to: [ophelia.id], op: "start" })).toEqual(done);
  expect(await reader.events.retrieve({ queue_id, last_event_id: -1 })).toMatchObject({
    ...done,
    events: [{ type: "typing", op: "start", message_type: "direct", sender: { user_id: hamlet.id } }],
  });
  expect(await zulip.typing.send({ to: [ophelia.id, gertrude.id], op: "stop" })).toEqual(done);
});

test("server settings and custom emoji are returned", async () => {
  const { zulip, site } = await company();

  expect(await zulip.server.settings()).toMatchObject({
    ...done,
    zulip_version: expect.any(String),
    zulip_feature_level: expect.any(Number),
    email_auth_enabled: true,
    realm_name: expect.any(String),
  });
  expect(site).toMatch(/^http/);
  expect(await zulip.emojis.retrieve()).toEqual({ ...done, emoji: {} });
});

test("calls that the protocol no longer has get a JSON error", async () => {
  const { zulip } = await company();

  expect(await zulip.filters.retrieve()).toMatchObject({ result: "error", msg: "Method Not Allowed" });
  expect(await zulip.users.me.pointer.retrieve()).toMatchObject({ result: "error" });
  expect(await zulip.users.me.pointer.update(1)).toMatchObject({ result: "error" });
});

test("callEndpoint reaches every other endpoint, with or without a leading slash", async () => {
  const { hamlet, zulip } = await company();
  await channelOf([hamlet], "bot testing");

  expect(
    await zulip.callEndpoint("/messages", "POST", {
      to: "bot testing",
      type: "stream",
      subject: "Testing zulip-js",
      content: "Something is horribly wrong....",
    }),
  ).toMatchObject({ ...done, id: expect.any(Number) });
  expect(await zulip.callEndpoint("users/me")).toMatchObject({ ...done, user_id: hamlet.id });
  expect(await zulip.callEndpoint("/users/me/status", "POST", { status_text: "mad north-north-west" })).toEqual(done);
  expect(await zulip.callEndpoint(`/users/${hamlet.id}/status`)).toEqual({
    ...done,
    status: { status_text: "mad north-north-west" },
  });
  expect(await zulip.callEndpoint("/settings", "PATCH", { twenty_four_hour_time: true })).toEqual(done);
});

/** A program that prints every event until it is stopped: the library's loop does not end. */
const printer = `
  const zulipInit = require(process.argv[1]);
  zulipInit(JSON.parse(process.argv[2])).then((zulip) => {
    const types = process.argv[3] && JSON.parse(process.argv[3]);
    zulip.callOnEachEvent((event) => console.log(JSON.stringify(event)), ...(types ? [types] : []));
  });`;

// clients 2.4, 5
test.each([
  ["of the types it names", ["message"]],
  ["of all types, which it asks for with event_types=null", undefined],
])("callOnEachEvent passes on every event %s", async (_, types) => {
  const { realm, site, hamlet } = await company();
  const ophelia = await realm.user("ophelia");
  const config = JSON.stringify({ username: hamlet.email, apiKey: hamlet.apiKey, realm: site });
  const library = createRequire(import.meta.url).resolve("zulip-js");
  const printed = runProgram(["-e", printer, library, config, ...(types ? [JSON.stringify(types)] : [])]);
  await untilRegistered(hamlet);

  const id = await sendDirect(ophelia, [hamlet], { content: "My lord" });

  expect(await firstMessage(printed)).toMatchObject({ flags: [], message: { id, content: "My lord" } });
});

async function firstMessage(printed: AsyncIterable<string>): Promise<unknown> {
  for await (const line of printed) {
    const event = JSON.parse(line) as { type: string }; // every event has a type
    if (event.type === "message") return event;
  }
  throw new Error("the program ended");
}

/** The program is ready when it has registered its queue. */
async function untilRegistered(user: TestUser): Promise<void> {
  for (;;) {
    const queues = user.realm.ctx.db.selectFrom("event_queues").select("id").where("user_id", "=", user.id);
    if ((await queues.execute()).length > 0) return;
    await new Promise((resume) => setTimeout(resume, 20));
  }
}
