/** The Python library and what is built on it: zulip-send, bots, the bot server. */
import { createBot } from "@skein/api/bots.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { expect, test } from "vitest";
import { startNode } from "../nodes.ts";
import { untilOnEveryNode } from "../presence.ts";
import { newRealm, success, TestUser } from "../realm.ts";
import { channelOf, flagsFor, messageFor, sendToChannel, sendDirect } from "../actions.ts";
import { answering, startWebhookTarget } from "../webhook-target.ts";
import { ClientProgram, exchange, missing, multipart } from "./wire.ts";

const agent = "ZulipPython/0.9.1 (Debian GNU/Linux; 12)";
const done = { result: "success", msg: "" };

async function company() {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "Denmark");
  return { realm, hamlet, ophelia, channel, python: new ClientProgram(hamlet, agent) };
}

/** A generic bot of Hamlet's, as its account. */
async function botOf(owner: TestUser, name: string): Promise<TestUser> {
  const short_name = name.toLowerCase();
  const made = success(await owner.call(createBot, { full_name: name, short_name, bot_type: 1 }));
  return new TestUser(owner.realm, made.user_id, `${short_name}-bot@${owner.realm.host}`, name, made.api_key);
}

// clients 1 Python, 2.11, 6.1
test("it starts by fetching the server settings, with credentials that are ignored", async () => {
  const { realm, python } = await company();
  const stranger = { authorization: `Basic ${btoa("nobody@example.com:wrong")}`, "user-agent": agent };

  for (const headers of [python.headers, stranger]) {
    const { status, json } = await exchange(realm, "/api/v1/server_settings", { headers });
    expect(status).toBe(200);
    expect(json).toMatchObject({ ...done, zulip_version: expect.stringMatching(/./) });
  }
});

// clients 2.10
test.each([
  [agent, "ZulipPython"],
  ["ZulipHelloworldBot (Debian GNU/Linux; 12)", "ZulipHelloworldBot"],
  ["ZulipSend/0.9.1 (Linux)", "ZulipSend"],
])("the user agent %s gives the client's name, and a script's own messages are unread", async (userAgent, client) => {
  const { hamlet } = await company();
  const program = new ClientProgram(hamlet, userAgent);

  const { id } = await program.answer(
    program.post("/messages", { type: "private", to: `["${hamlet.email}"]`, content: "x" }),
  );

  expect(await messageFor(hamlet, Number(id))).toMatchObject({ client, flags: [] });
});

// clients 2.5, 2.6, 6.2, 11.8
test("recipients can be given in many formats, for the same conversation", async () => {
  const { hamlet, ophelia, channel, python } = await company();
  const said = { type: "stream", subject: "watch", content: "Who is there?" };
  const told = { type: "private", content: "Soft you now" };
  const toChannel = ["Denmark", String(channel.id), '["Denmark"]', `[${channel.id}]`];
  const toPeople = [
    ophelia.email,
    `${ophelia.email},${hamlet.email}`,
    JSON.stringify([ophelia.email]),
    JSON.stringify([ophelia.email, hamlet.email]),
    `[${ophelia.id}]`,
    `[${hamlet.id}, ${ophelia.id}]`,
  ];

  const post = async (form: Record<string, string>) => {
    const { id } = await python.answer(python.post("/messages", form));
    return messageFor(ophelia, Number(id));
  };
  const inChannel = await Promise.all(toChannel.map((to) => post({ ...said, to })));
  const direct = await Promise.all(toPeople.map((to) => post({ ...told, to })));

  for (const message of inChannel)
    expect(message).toMatchObject({ type: "stream", stream_id: channel.id, subject: "watch" });
  for (const message of direct) expect(message).toMatchObject({ type: "private", subject: "", topic_links: [] });
  expect(new Set(direct.map(({ recipient_id }) => recipient_id)).size).toBe(1);
});

// clients 2.6
test("new parameter values work like the old ones", async () => {
  const { ophelia, channel, python } = await company();
  const direct = { type: "direct", to: `[${ophelia.id}]`, content: "x" };
  const inChannel = { type: "channel", to: String(channel.id), topic: "watch", content: "x" };

  const ids = [
    await python.answer(python.post("/messages", direct)),
    await python.answer(python.post("/messages", inChannel)),
  ];

  const types = await Promise.all(ids.map(async ({ id }) => (await messageFor(ophelia, Number(id))).type));
  expect(types).toEqual(["private", "stream"]);
});

// clients 2.6, 3.6
test("narrow terms can be objects or pairs, with old or new operators, names or IDs", async () => {
  const { realm, hamlet, ophelia, channel, python } = await company();
  const gertrude = await realm.user("gertrude");
  const inChannel = await sendToChannel(ophelia, channel, { topic: "watch" });
  const direct = await sendDirect(ophelia, [hamlet]);
  const group = await sendDirect(ophelia, [hamlet, gertrude]);
  const idsIn = async (narrow: unknown) => {
    const query = { anchor: "newest", num_before: "10", num_after: "0", narrow: JSON.stringify(narrow) };
    const { messages } = await python.answer(python.get("/messages", query));
    return (messages as { id: number }[]).map(({ id }) => id); // as documented
  };

  const ofChannel = [
    [["stream", "Denmark"]],
    [{ operator: "stream", operand: "Denmark" }],
    [{ operator: "channel", operand: channel.id }],
    [
      ["channel", "Denmark"],
      ["topic", "watch"],
    ],
    [
      ["stream", "Denmark"],
      ["subject", "watch"],
    ],
    [{ operator: "is", operand: "private", negated: true }],
  ];
  const ofOphelia = [
    [["pm-with", ophelia.email]],
    [{ operator: "pm-with", operand: `${ophelia.email}, ${hamlet.email}` }],
    [{ operator: "dm", operand: [ophelia.id] }],
  ];
  const ofGroup = [
    [["pm-with", `${ophelia.email}, ${gertrude.email}`]],
    [{ operator: "dm", operand: [ophelia.id, gertrude.id, hamlet.id] }],
    [{ operator: "group-pm-with", operand: gertrude.email }],
  ];
  for (const narrow of ofChannel) expect(await idsIn(narrow), JSON.stringify(narrow)).toEqual([inChannel]);
  for (const narrow of ofOphelia) expect(await idsIn(narrow), JSON.stringify(narrow)).toEqual([direct]);
  for (const narrow of ofGroup) expect(await idsIn(narrow), JSON.stringify(narrow)).toEqual([group]);
  for (const operand of ["private", "dm"]) expect(await idsIn([["is", operand]])).toEqual([direct, group]);
  expect(await idsIn([])).toEqual([inChannel, direct, group]);
});

// clients 2.2, 2.3, 11.3
test("additional parameters are ignored and reported", async () => {
  const { hamlet, python } = await company();
  const id = await sendDirect(hamlet, [hamlet]);

  const edited = await python.answer(
    python.send("PATCH", `/messages/${id}`, { message_id: String(id), content: "better" }),
  );
  const again = await python.answer(
    python.post("/messages", { type: "private", to: `[${hamlet.id}]`, content: "x", dont_block: "true" }),
  );
  const deleted = await python.answer(python.send("DELETE", `/messages/${id}`, { message_id: String(id) }));

  expect(edited).toMatchObject({ ignored_parameters_unsupported: ["message_id"] });
  expect(again).toMatchObject({ ignored_parameters_unsupported: ["dont_block"] });
  expect(deleted).toMatchObject({ ignored_parameters_unsupported: ["message_id"] });
});

// clients 2.8, 11.14
test("an uploaded file may have its full path as the field name, no content type, and a file name in UTF-8", async () => {
  const { realm, python } = await company();
  const path = "/home/hamlet/Übermut — 幽霊.txt";
  const { type, body } = multipart([
    { head: `Content-Disposition: form-data; name="${path}"; filename="Übermut — 幽霊.txt"`, body: "boo" },
  ]);

  const { status, json } = await exchange(realm, "/api/v1/user_uploads", {
    method: "POST",
    headers: { ...python.headers, "content-type": type },
    body,
  });

  expect(status).toBe(200);
  expect(json).toEqual({
    ...done,
    uri: expect.stringMatching(/^\/user_uploads\//),
    url: json["uri"],
    filename: "Übermut — 幽霊.txt",
  });
  const file = await exchange(realm, String(json["uri"]), { headers: python.headers });
  expect(file.status).toBe(200);
});

// clients 3.2, 11.15
test("an expired queue has its own error code", async () => {
  const { python } = await company();

  const { status, json } = await python.get("/events", { queue_id: "1375801870:2942", last_event_id: "-1" });

  expect(status).toBe(400);
  expect(json).toMatchObject({ result: "error", code: "BAD_EVENT_QUEUE_ID", queue_id: "1375801870:2942" });
});

// clients 3.3, 3 event heartbeat, 11.15
test("a queue without events gets a heartbeat with an ID, whatever its event types", async () => {
  const node = await startNode({ environment: { SKEIN_HEARTBEAT_SECONDS: "1" } });
  const realm = await newRealm([node]);
  const python = new ClientProgram(realm.admin, agent);
  const queue = await python.answer(python.post("/register", { event_types: '["realm_emoji"]', narrow: "[]" }));

  const { value: event } = await python.follow(queue).next();

  expect(event).toEqual({ type: "heartbeat", id: expect.any(Number) });
  expect(Number(event["id"])).toBeGreaterThan(Number(queue["last_event_id"]));
});

// clients 3.1
test("an error is an object with a code, and a wrong key gets 401", async () => {
  const { hamlet, python } = await company();
  const wrong = new ClientProgram(new TestUser(hamlet.realm, hamlet.id, hamlet.email, "", "x".repeat(32)), agent);

  const refusals = [await wrong.get("/users/me"), await python.post("/messages", { type: "stream", to: "Nowhere" })];

  expect(refusals.map(({ status }) => status)).toEqual([401, 400]);
  for (const { json } of refusals)
    expect(json).toMatchObject({ result: "error", msg: expect.any(String), code: expect.any(String) });
});

// clients 1 Python, 3.6, 4 queue_id, 4 last_event_id, 6.3, 11.7
test("a bot finds its own name in the raw text, and replies to everyone in the conversation", async () => {
  const { hamlet, ophelia, channel } = await company();
  const account = await botOf(hamlet, "Helloworld");
  const bot = new ClientProgram(account, "ZulipHelloworldBot (Debian GNU/Linux; 12)");
  await bot.answer(bot.post("/users/me/subscriptions", { subscriptions: '[{"name": "Denmark"}]' }));

  const me = await bot.answer(bot.get("/users/me"));
  const events = bot.follow(await bot.answer(bot.post("/register", { event_types: '["message"]', narrow: "[]" })));
  expect(missing(me, "user_id full_name email")).toEqual([]);

  for (const mention of ["@**Helloworld**", `@**Helloworld|${account.id}**`]) {
    await sendToChannel(ophelia, channel, { content: `${mention} help` });
    const { value: event } = await events.next();
    expect(event).toMatchObject({ flags: ["mentioned"], message: { content: `${mention} help`, type: "stream" } });
  }
  const asked = await sendDirect(ophelia, [account], { content: "hello" });
  const { value: event } = await events.next();
  const { message } = event as { message: { id: number; display_recipient: { id: number }[] } }; // as documented
  const to = JSON.stringify(message.display_recipient.map(({ id }) => id));
  const { id } = await bot.answer(bot.post("/messages", { type: "private", to, content: "beep boop" }));

  expect(message.id).toBe(asked);
  const [question, reply] = [await messageFor(ophelia, asked), await messageFor(ophelia, Number(id))];
  expect(reply.recipient_id).toBe(question.recipient_id);
});

// clients 3.7, 11.13
test("a bot can react with just a name or alias, and the name is kept as given", async () => {
  const { hamlet, python } = await company();
  const id = await sendDirect(hamlet, [hamlet]);

  await python.answer(python.post(`/messages/${id}/reactions`, { emoji_name: "tada" }));
  await python.answer(
    python.post(`/messages/${id}/reactions`, { emoji_name: "thumbs_up", reaction_type: "unicode_emoji" }),
  );

  const { reactions } = await messageFor(hamlet, id);
  expect(reactions).toEqual([
    { emoji_name: "tada", emoji_code: "1f389", reaction_type: "unicode_emoji", user_id: hamlet.id },
    { emoji_name: "thumbs_up", emoji_code: "1f44d", reaction_type: "unicode_emoji", user_id: hamlet.id },
  ]);
});

// clients 6.3
test("a bot can store its state on the server", async () => {
  const { hamlet } = await company();
  const bot = new ClientProgram(await botOf(hamlet, "Counter"), "ZulipCounterBot (Linux)");

  await bot.answer(bot.send("PUT", "/bot_storage", { storage: '{"count": "7"}' }));

  expect(await bot.answer(bot.get("/bot_storage", { keys: '["count"]' }))).toEqual({
    ...done,
    storage: { count: "7" },
  });
});

// clients 6.4
test("the bot server receives raw text and its token, and may return JSON with another content type", async () => {
  const { hamlet, ophelia } = await company();
  const target = await startWebhookTarget((response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end('{"response_not_required": true}');
  });
  const wish = { full_name: "Hook", short_name: "hook", bot_type: 3, payload_url: target.url() };
  const { user_id } = success(await hamlet.call(createBot, wish));
  const account = { id: user_id } as TestUser; // only the id is used
  const queue = await ophelia.register(["message"]);

  const id = await sendDirect(ophelia, [account], { content: "**hello**" });

  const payload = JSON.parse((await target.next()).body) as Record<string, unknown>; // as documented
  expect(payload).toMatchObject({
    bot_email: `hook-bot@${hamlet.realm.host}`,
    token: expect.stringMatching(/^.{32}$/),
    trigger: "direct_message",
    message: { content: "**hello**", type: "private", subject: "", id, sender_id: ophelia.id },
  });
  expect(payload["message"]).toHaveProperty("display_recipient");
  // Nothing is posted: the next message after the question is the one sent now.
  const next = await sendDirect(ophelia, [ophelia]);
  const heard = [await queue.nextOf("message"), await queue.nextOf("message")].map(({ message }) => message.id);
  expect(heard).toEqual([id, next]);
});

// clients 6.4
test("the bot server's reply is posted in the same conversation", async () => {
  const { hamlet, ophelia } = await company();
  const target = await startWebhookTarget(answering({ content: "beep boop" }));
  const wish = { full_name: "Hook", short_name: "hook", bot_type: 3, payload_url: target.url() };
  const { user_id } = success(await hamlet.call(createBot, wish));
  const queue = await ophelia.register(["message"]);

  await sendDirect(ophelia, [{ id: user_id } as TestUser]); // only the id is used

  const heard = [await queue.nextOf("message"), await queue.nextOf("message")];
  expect(heard[1]?.message).toMatchObject({ content: "beep boop", sender_id: user_id });
});

// clients 6.5
test("the old endpoints that it still wraps work", async () => {
  const { realm, hamlet, ophelia, channel, python } = await company();
  const owner = new ClientProgram(realm.admin, agent);
  success(await realm.admin.call(subscribe, { subscriptions: [{ name: "Denmark" }] }));
  const unread = async () =>
    [await sendToChannel(ophelia, channel, { topic: "watch" }), await sendDirect(ophelia, [hamlet])] as const;

  const [inTopic] = await unread();
  await python.answer(python.post("/mark_topic_as_read", { stream_id: String(channel.id), topic_name: "watch" }));
  expect(await flagsFor(hamlet, inTopic)).toEqual(["read"]);
  const [inChannel] = await unread();
  await python.answer(python.post("/mark_stream_as_read", { stream_id: String(channel.id) }));
  expect(await flagsFor(hamlet, inChannel)).toEqual(["read"]);
  const [, direct] = await unread();
  expect(await python.answer(python.post("/mark_all_as_read"))).toMatchObject({ complete: true });
  expect(await flagsFor(hamlet, direct)).toEqual(["read"]);

  await python.answer(
    python.send("PATCH", "/users/me/subscriptions/muted_topics", { stream: "Denmark", topic: "watch", op: "add" }),
  );
  await python.answer(python.send("PATCH", "/settings/notifications", { enable_desktop_notifications: "false" }));
  await untilOnEveryNode(hamlet, () => python.answer(python.post("/users/me/presence", { status: "active" })));
  expect(await python.answer(python.get("/realm/presence"))).toMatchObject({
    presences: { [hamlet.email]: { aggregated: { status: "active" }, website: { status: "active" } } },
  });
  expect(await python.answer(python.get(`/users/${hamlet.email}/presence`))).toMatchObject({
    presence: { aggregated: { status: "active", timestamp: expect.any(Number) } },
  });
  const { id } = await owner.answer(
    owner.post("/realm/filters", { pattern: "#(?P<id>[0-9]+)", url_template: "https://example.com/{id}" }),
  );
  await owner.answer(owner.send("DELETE", `/realm/filters/${String(id)}`));
  await owner.answer(owner.post("/default_streams", { stream_id: String(channel.id) }));
  await owner.answer(owner.send("DELETE", "/default_streams", { stream_id: String(channel.id) }));
  expect(await python.answer(python.get(`/streams/${channel.id}/members`))).toMatchObject({
    subscribers: [realm.admin.id, hamlet.id, ophelia.id],
  });
  expect(await python.answer(python.get("/get_stream_id", { stream: "Denmark" }))).toMatchObject({
    stream_id: channel.id,
  });
  expect(await python.answer(python.get("/attachments"))).toMatchObject({ attachments: [], upload_space_used: 0 });
});
