import { createBot, deactivateBot, updateBot } from "@skein/api/bots.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import type { Event } from "@skein/api/events.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { describe, expect, test } from "vitest";
import { newRealm, success, TestUser, type TestQueue } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect, type TestChannel } from "../../../../test/actions.ts";
import { answering, startWebhookTarget, type WebhookTarget } from "../../../../test/webhook-target.ts";
import { deliverWebhook } from "./jobs.ts";

async function newHookBot(
  owner: TestUser,
  payload_url: string,
  more: Partial<ArgumentsOf<typeof createBot>> = {},
): Promise<TestUser> {
  const botParams = { full_name: "Hook", short_name: "hook", bot_type: 3, payload_url, ...more };
  const { user_id, api_key } = success(await owner.call(createBot, botParams));
  return new TestUser(
    owner.realm,
    user_id,
    `${botParams.short_name}-bot@${owner.realm.host}`,
    botParams.full_name,
    api_key,
  );
}

const silent = answering({ response_not_required: true });

async function stage(respond = silent) {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const target = await startWebhookTarget(respond);
  const bot = await newHookBot(hamlet, target.url());
  return { realm, hamlet, ophelia, target, bot };
}

const payloadOf = async (target: WebhookTarget) => {
  const { body } = await target.next();
  return JSON.parse(body) as Record<string, unknown> & { message: Record<string, unknown> }; // as declared in 4.21
};

/** The next message from this sender. */
async function messageFrom(queue: TestQueue, senderId: number) {
  for (;;) {
    const event: Extract<Event, { type: "message" }> = await queue.nextOf("message");
    if (event.message.sender_id === senderId) return event.message;
  }
}

const mention = (user: TestUser, channel: TestChannel, content = "@**Hook** hello") =>
  sendToChannel(user, channel, { content });

const openDeliveries = async ({ realm }: TestUser): Promise<number> =>
  (await realm.ctx.db.selectFrom("webhook_deliveries").select("bot_id").where("realm_id", "=", realm.id).execute())
    .length;

const attempt = { attempt: 1, maxAttempts: 12 };

describe("messages to the bot are posted to its URL:", () => {
  // spec 4.21: bot_email, bot_full_name, data, trigger, token, message
  // spec 2.1: rendered_content
  // spec 5: webhook token
  test("a direct message", async () => {
    const { ophelia, bot, target } = await stage();

    const id = await sendDirect(ophelia, [bot], { content: "**hello** there" });

    const call = await target.next();
    expect(call).toMatchObject({ method: "POST", path: "/hook", type: "application/json" });
    const party = ({ id: user, email, fullName }: TestUser) => ({
      id: user,
      email,
      full_name: fullName,
      is_mirror_dummy: false,
    });
    expect(JSON.parse(call.body)).toEqual({
      bot_email: bot.email,
      bot_full_name: "Hook",
      data: "**hello** there",
      trigger: "direct_message",
      token: expect.stringMatching(/^.{32}$/),
      message: {
        id,
        type: "private",
        sender_id: ophelia.id,
        sender_email: ophelia.email,
        sender_full_name: "ophelia",
        sender_realm_str: expect.any(String),
        client: expect.any(String),
        content: "**hello** there",
        content_type: "text/x-markdown",
        rendered_content: "<p><strong>hello</strong> there</p>",
        display_recipient: [party(ophelia), party(bot)],
        recipient_id: expect.any(Number),
        subject: "",
        topic_links: [],
        is_me_message: false,
        timestamp: expect.any(Number),
        reactions: [],
        submessages: [],
        avatar_url: expect.stringMatching(/^\/avatar\/\d+\?version=1$/),
      },
    });
  });

  // spec 4.21: trigger mention, topic_links
  test("a mention in a channel, with an empty topic unchanged", async () => {
    const { ophelia, bot, target } = await stage();
    const channel = await channelOf([ophelia], "machines");

    const id = await sendToChannel(ophelia, channel, { topic: "", content: "@**Hook** hello" });

    const payload = await payloadOf(target);
    expect(payload).toMatchObject({
      trigger: "mention",
      data: "@**Hook** hello",
      message: {
        id,
        type: "stream",
        stream_id: channel.id,
        display_recipient: "machines",
        subject: "",
        content: "@**Hook** hello",
      },
    });
    expect(payload.message["rendered_content"]).toContain(`data-user-id="${bot.id}"`);
    expect(payload.message).not.toHaveProperty("flags");
  });

  test("a group conversation with several bots, each with its own token", async () => {
    const { hamlet, ophelia, bot, target } = await stage();
    const other = await newHookBot(hamlet, target.url(), { short_name: "other", full_name: "Other" });

    await sendDirect(ophelia, [bot, other, hamlet], { content: "all of you" });

    const payloads = [await payloadOf(target), await payloadOf(target)];
    expect(new Set(payloads.map((payload) => payload["bot_email"]))).toEqual(new Set([bot.email, other.email]));
    expect(new Set(payloads.map((payload) => payload["token"])).size).toBe(2);
  });

  test("in Slack's format, if the bot is configured for it", async () => {
    const { realm, hamlet, ophelia, target, bot } = await stage(answering({ text: "as Slack has it" }));
    success(await hamlet.call(updateBot, { bot_id: bot.id, service_interface: 2 }));
    const channel = await channelOf([ophelia], "machines");
    const queue = await ophelia.register(["message"]);

    await mention(ophelia, channel);

    const call = await target.next();
    expect(call.type).toBe("application/x-www-form-urlencoded");
    expect(Object.fromEntries(new URLSearchParams(call.body))).toEqual({
      token: expect.stringMatching(/^.{32}$/),
      team_id: `T${realm.id}`,
      team_domain: realm.host,
      channel_id: `C${channel.id}`,
      channel_name: "machines",
      thread_ts: expect.stringMatching(/^\d+$/),
      timestamp: expect.stringMatching(/^\d+$/),
      user_id: `U${ophelia.id}`,
      user_name: "ophelia",
      text: "@**Hook** hello",
      trigger_word: "mention",
      service_id: String(bot.id),
    });
    expect(await messageFrom(queue, bot.id)).toMatchObject({ content: "as Slack has it" });

    await sendDirect(ophelia, [bot]);
    expect(await messageFrom(queue, bot.id)).toMatchObject({
      content: "Failure! Slack-style webhooks do not support direct messages.",
    });
  });
});

test("messages without a mention, from bots, or that the bot cannot read are not posted", async () => {
  const { hamlet, ophelia, bot, target } = await stage();
  const plain = success(await hamlet.call(createBot, { full_name: "Plain", short_name: "plain" }));
  const talker = new TestUser(hamlet.realm, plain.user_id, `plain-bot@${hamlet.realm.host}`, "Plain", plain.api_key);
  const open = await channelOf([ophelia], "open");
  const closed = await channelOf([ophelia], "closed", { isPrivate: true });

  await sendToChannel(ophelia, open, { content: "Hook, hello" });
  await mention(ophelia, open, "`@**Hook**` in code, and @_**Hook** silently");
  await mention(talker, open, "@**Hook** from a bot");
  await sendDirect(talker, [bot], { content: "from a bot" });
  await mention(ophelia, closed, "@**Hook** behind its back");
  await mention(ophelia, open, "@**Hook** at last");

  expect(await payloadOf(target)).toMatchObject({ data: "@**Hook** at last" });
  expect(target.received).toHaveLength(1);
});

describe("the response of the URL", () => {
  test.each([
    [{ content: "the answer" }, "the answer"],
    [{ response_string: "the older way" }, "the older way"],
    [{ content: "new", response_string: "old" }, "new"],
    [{ content: 42 }, "42"],
  ])("(%j) is posted by the bot in the same conversation", async (answer, content) => {
    const { ophelia, hamlet, bot } = await stage(answering(answer));
    const channel = await channelOf([ophelia], "machines");
    const queue = await ophelia.register(["message"]);

    await sendToChannel(ophelia, channel, { topic: "questions", content: "@**Hook** hello" });
    expect(await messageFrom(queue, bot.id)).toMatchObject({
      content,
      type: "stream",
      stream_id: channel.id,
      subject: "questions",
      client: "OutgoingWebhookResponse",
    });

    await sendDirect(ophelia, [bot, hamlet]);
    const direct = await messageFrom(queue, bot.id);
    expect(direct).toMatchObject({ content, type: "private" });
    expect(direct.display_recipient).toHaveLength(3);
  });

  test.each([
    ["no response wanted", JSON.stringify({ response_not_required: true, content: "not this" })],
    ["an empty object", "{}"],
    ["an empty text", JSON.stringify({ content: " " })],
    ["an empty JSON text", '""'],
    ["no body", ""],
  ])("(%s) can be empty", async (_, body) => {
    const { ophelia, bot } = await stage((response, { body: asked }) => {
      response.end(asked.includes("sign off") ? JSON.stringify({ content: "bye" }) : body);
    });
    const queue = await ophelia.register(["message"]);

    await sendDirect(ophelia, [bot]);
    await expect.poll(() => openDeliveries(ophelia)).toBe(0);
    await sendDirect(ophelia, [bot], { content: "sign off" });

    expect(await messageFrom(queue, bot.id)).toMatchObject({ content: "bye" });
  });

  test("can contain a widget", async () => {
    const widget_content = { widget_type: "poll", extra_data: { question: "Ready?", options: ["yes", "no"] } };
    const { ophelia, bot } = await stage(
      answering({ content: "vote", widget_content: JSON.stringify(widget_content) }),
    );
    const queue = await ophelia.register(["message"]);

    await sendDirect(ophelia, [bot]);

    const message = await messageFrom(queue, bot.id);
    expect(message.submessages).toHaveLength(1);
    expect(JSON.parse(message.submessages[0]?.content ?? "")).toEqual(widget_content);
  });
});

describe("a failure is reported in the conversation, with details to the bot's owner by direct message:", () => {
  test.each([
    [
      "an error status, which is not retried",
      { status: 503, body: "out of order ``` @**all**" },
      "The webhook responded with status 503.",
      "out of order ''' @**all**",
    ],
    [
      "an endless redirect",
      { status: 302, body: "", location: "/again" },
      "The webhook responded with status 302.",
      "",
    ],
    ["a response that is not JSON", { status: 200, body: "<html>" }, "The webhook's response is not JSON.", "<html>"],
    [
      "a response that is not an object",
      { status: 200, body: "[1]" },
      "The webhook's response has an unknown format.",
      "[1]",
    ],
    [
      "an unknown widget",
      { status: 200, body: '{"content":"x","widget_content":{"widget_type":"bomb"}}' },
      "The webhook's response has an unknown format.",
      "bomb",
    ],
    [
      "a body that is too long",
      { status: 200, body: "x".repeat(300_000) },
      "The webhook's response is too long.",
      "longer than",
    ],
  ])("%s", async (_, { status, body, ...more }, summary, details) => {
    const location = "location" in more ? { location: more.location } : {};
    const { hamlet, ophelia, bot, target } = await stage((response) => response.writeHead(status, location).end(body));
    const [asking, owning] = [await ophelia.register(["message"]), await hamlet.register(["message"])];

    await sendDirect(ophelia, [bot]);

    expect(await messageFrom(asking, bot.id)).toMatchObject({ content: `Failure! ${summary}` });
    const { message } = await owning.nextOf("message");
    expect(message).toMatchObject({ sender_full_name: "Notification Bot", type: "private" });
    expect(message.content).toContain(`your bot @_**Hook|${bot.id}** could not be delivered. ${summary}`);
    expect(message.content).toContain(details);
    expect(target.received.length).toBe(status === 302 ? 4 : 1);
    expect((await asking.all()).length).toBe(0);
  });

  test("an address outside the public Internet, by name, IP address or redirect", async () => {
    const { hamlet, ophelia, bot, target } = await stage();
    const redirecting = await startWebhookTarget((response) =>
      response.writeHead(307, { location: target.url("127.0.0.2") }).end(),
    );
    const asking = await ophelia.register(["message"]);

    for (const url of [target.url("127.0.0.2"), target.url("[::ffff:127.0.0.2]"), redirecting.url()]) {
      success(await hamlet.call(updateBot, { bot_id: bot.id, service_payload_url: url }));
      await sendDirect(ophelia, [bot]);
      expect(await messageFrom(asking, bot.id)).toMatchObject({
        content: "Failure! The webhook's URL is not allowed.",
      });
    }
    expect(target.received).toEqual([]);
  });

  test("a broken connection, after three retries", async () => {
    const { hamlet, ophelia, bot, target } = await stage((response) => response.destroy());
    const owning = await hamlet.register(["message"]);

    const id = await sendDirect(ophelia, [bot]);
    await target.next();
    // As if two retries had already been made.
    await hamlet.realm.ctx.db
      .updateTable("webhook_deliveries")
      .set({ tries: 3 })
      .where("message_id", "=", id)
      .execute();
    await target.next();

    expect((await owning.nextOf("message")).message.content).toContain("Reason: the connection failed (ECONNRESET).");
    await expect.poll(() => openDeliveries(hamlet)).toBe(0);
  });

  test("a reply that the bot may not post, which is reported only to its owner", async () => {
    const { realm, hamlet, ophelia, bot, target } = await stage(answering({ content: "too late" }));
    const channel = await channelOf([ophelia], "machines");
    const nobody = await realm.ctx.db
      .selectFrom("user_groups")
      .select("id")
      .where("realm_id", "=", realm.id)
      .where("name", "=", "role:administrators")
      .executeTakeFirstOrThrow();
    await mention(realm.admin, channel, "the channel's first message");
    await realm.ctx.db
      .updateTable("channels")
      .set({ can_send_message_group_id: nobody.id })
      .where("id", "=", channel.id)
      .execute();
    const [asking, owning] = [await ophelia.register(["message"]), await hamlet.register(["message"])];

    await mention(realm.admin, channel);

    await target.next();
    expect((await owning.nextOf("message")).message.content).toContain("The webhook's reply could not be posted.");
    expect(
      (await asking.all()).filter((event) => event.type === "message" && event.message.sender_id === bot.id),
    ).toEqual([]);
  });
});

describe("a delivery happens once:", () => {
  test("with two workers, one calls the service, and one reply is posted", async () => {
    let release = () => {};
    const held = new Promise<void>((resume) => {
      release = resume;
    });
    const { realm, ophelia, bot, target } = await stage((response, call) => {
      void held.then(() => answering({ content: "once" })(response, call));
    });
    const queue = await ophelia.register(["message"]);

    const id = await sendDirect(ophelia, [bot]);
    await target.next();
    const payload = { message_id: id, bot_id: bot.id, trigger: "direct_message" as const };
    await expect(deliverWebhook.run(realm.ctx, payload, attempt)).rejects.toThrow("another worker");
    release();
    expect(await messageFrom(queue, bot.id)).toMatchObject({ content: "once" });

    await deliverWebhook.run(realm.ctx, payload, attempt);
    await sendDirect(ophelia, [ophelia], { content: "the end" });
    expect(await messageFrom(queue, ophelia.id)).toMatchObject({ content: "the end" });
    expect(target.received).toHaveLength(1);
  });

  test("a worker whose delivery was claimed by another posts nothing when it resumes", async () => {
    const releases: (() => void)[] = [];
    const { realm, ophelia, bot, target } = await stage((response, call) => {
      releases.push(() => answering({ content: `answer ${releases.length}` })(response, call));
    });
    const queue = await ophelia.register(["message"]);

    const id = await sendDirect(ophelia, [bot]);
    await target.next();
    // As if the first worker's claim had expired.
    await realm.ctx.db
      .updateTable("webhook_deliveries")
      .set({ taken_until: new Date(0) })
      .where("message_id", "=", id)
      .execute();
    const payload = { message_id: id, bot_id: bot.id, trigger: "direct_message" as const };
    const second = deliverWebhook.run(realm.ctx, payload, attempt);
    await target.next();
    for (const release of releases) release();
    await second;

    await messageFrom(queue, bot.id);
    await expect.poll(() => openDeliveries(ophelia)).toBe(0);
    await sendDirect(ophelia, [ophelia], { content: "the end" });
    expect(await messageFrom(queue, ophelia.id)).toMatchObject({ content: "the end" });
    const said = await realm.ctx.db.selectFrom("messages").select("id").where("sender_id", "=", bot.id).execute();
    expect(said).toHaveLength(1);
  });

  test("a delivery whose attempts were all interrupted is reported as a failure", async () => {
    const { realm, hamlet, ophelia, bot, target } = await stage(() => undefined);
    const owning = await hamlet.register(["message"]);

    const id = await sendDirect(ophelia, [bot]);
    await target.next();
    await realm.ctx.db
      .updateTable("webhook_deliveries")
      .set({ taken_until: new Date(0), tries: 4 })
      .where("message_id", "=", id)
      .execute();
    await deliverWebhook.run(realm.ctx, { message_id: id, bot_id: bot.id, trigger: "direct_message" }, attempt);

    expect((await owning.nextOf("message")).message.content).toContain(
      "The webhook was called, but its response was lost.",
    );
    expect(target.received).toHaveLength(1);
  });
});

test("a slow service does not delay the deliveries of other bots", async () => {
  const { realm, hamlet, ophelia, bot, target } = await stage(() => undefined);
  const prompt = await startWebhookTarget(silent);
  const other = await newHookBot(hamlet, prompt.url(), { short_name: "other", full_name: "Other" });

  for (let count = 0; count <= realm.ctx.config.jobConcurrency; count++) await sendDirect(ophelia, [bot]);
  await target.next();
  await sendDirect(ophelia, [other]);

  expect(await payloadOf(prompt)).toMatchObject({ bot_email: other.email });
  expect(target.received).toHaveLength(1);
});

test("a message that is not sent is not delivered", async () => {
  const { ophelia, bot, target } = await stage();
  const channel = await channelOf([ophelia], "machines");

  const refused = await ophelia.call(sendMessage, { type: "channel", to: 0, topic: "x", content: "@**Hook** no" });
  await mention(ophelia, channel, "@**Hook** yes");

  expect(refused.result).toBe("error");
  expect(await payloadOf(target)).toMatchObject({ data: "@**Hook** yes", bot_email: bot.email });
});

test("messages to a deactivated bot are not delivered", async () => {
  const { realm, hamlet, ophelia, bot, target } = await stage((response) => response.destroy());
  const id = await sendDirect(ophelia, [bot]);
  await target.next();

  success(await hamlet.call(deactivateBot, { bot_id: bot.id }));
  await realm.ctx.db
    .updateTable("webhook_deliveries")
    .set({ taken_until: null })
    .where("message_id", "=", id)
    .execute();
  await deliverWebhook.run(realm.ctx, { message_id: id, bot_id: bot.id, trigger: "direct_message" }, attempt);

  await expect.poll(() => openDeliveries(hamlet)).toBe(0);
  expect(target.received).toHaveLength(1);
});
