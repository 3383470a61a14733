/** The responses that a delivering service gets, and the messages that users see. */
import { createHmac, randomUUID } from "node:crypto";
import { createBot, deactivateBot, regenerateBotApiKey, updateBot } from "@skein/api/bots.ts";
import type { MessageObject } from "@skein/api/messages.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, type TestQueue, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { statementsOf } from "../../../../test/statements.ts";
import { channelOf, sendToChannel, type TestChannel } from "../../../../test/actions.ts";
import { forgetDeliveries } from "./jobs.ts";
import { everyFixture, fixtures } from "../../../../test/incoming-webhooks/every-fixture.ts";
import type { Fixture } from "../../../../test/incoming-webhooks/fixture.ts";
import { mutations } from "../../../../test/incoming-webhooks/mutations.ts";

interface HookBot {
  id: number;
  key: string;
  realm: TestRealm;
}

interface BotWish {
  name?: string;
  type?: number;
  service_name?: string;
  config_data?: Record<string, string>;
}

async function newBot(owner: TestUser, { name = "Hook", type = 2, ...more }: BotWish = {}): Promise<HookBot> {
  const botParams = { full_name: name, short_name: name.toLowerCase(), bot_type: type, ...more };
  const { user_id, api_key } = success(await owner.call(createBot, botParams));
  return { id: user_id, key: api_key, realm: owner.realm };
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

interface Delivery {
  integration?: string;
  params?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string | URLSearchParams | FormData | Buffer;
  node?: number;
}

/** Sends a delivery as a service does, with typical values for everything that is not given. */
async function deliver(bot: HookBot, delivery: Delivery = {}): Promise<Answer> {
  const { integration = "json", params = {}, headers = {}, body = '{"a": 1}', node = 0 } = delivery;
  const query = new URLSearchParams({ api_key: bot.key, ...params }).toString();
  const sent = typeof body === "string" || Buffer.isBuffer(body);
  const response = await fetch(
    `${bot.realm.nodes[node % bot.realm.nodes.length]?.url}/api/v1/external/${integration}?${query}`,
    {
      method: "POST",
      headers: {
        "x-forwarded-host": bot.realm.host,
        ...(sent ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      body: Buffer.isBuffer(body) ? new Uint8Array(body) : body,
    },
  );
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const fixture = (integration: string, name: string): Fixture => {
  const found = fixtures[integration]?.find((one) => one.name === `${integration} ${name}`);
  if (!found) throw new Error(`there is no ${integration} ${name}`);
  return found;
};

const asDelivered = (integration: string, { headers, payload }: Fixture) => ({
  integration,
  headers,
  body: JSON.stringify(payload),
});

const posted = { status: 200, body: { result: "success", msg: "" } };

let strict: ReturnType<typeof startNode> | undefined;
/** A node with rate limits, whose log can be read. */
const strictNode = () => (strict ??= startNode({ environment: { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api" } }));

interface Stage {
  realm: TestRealm;
  owner: TestUser;
  reader: TestUser;
  channel: TestChannel;
  bot: HookBot;
  queue: TestQueue;
}

async function stage(): Promise<Stage> {
  const realm = await newRealm();
  const [owner, reader] = [await realm.user("owner"), await realm.user("reader")];
  const channel = await channelOf([owner, reader], "harbor watch");
  const bot = await newBot(owner);
  return { realm, owner, reader, channel, bot, queue: await reader.register(["message"]) };
}

async function nextMessage(queue: TestQueue): Promise<MessageObject> {
  const { message } = await queue.nextOf("message");
  return message as MessageObject; // the fields used here are the same
}

/** All events up to a message that is sent now. */
async function messagesUntilNow({ owner, channel, queue }: Stage): Promise<string[]> {
  const last = await sendToChannel(owner, channel, { topic: "end", content: "the end" });
  const heard: string[] = [];
  for (;;) {
    const { message } = await queue.nextOf("message");
    if (message.id === last) return heard;
    heard.push(message.content);
  }
}

describe("a delivery is posted", () => {
  test("in the channel of the URL, in the integration's topic, with the integration's client name", async () => {
    const { owner, channel, bot, queue } = await stage();
    const ping = fixture("github", "ping");

    const answer = await deliver(bot, { ...asDelivered("github", ping), params: { stream: channel.name } });

    expect(answer).toEqual(posted);
    expect(await nextMessage(queue)).toMatchObject({
      type: "stream",
      stream_id: channel.id,
      subject: "pumps",
      sender_id: bot.id,
      client: "ZulipGitHubWebhook",
      content: expect.stringContaining("The webhook of"),
    });
    expect(owner.id).not.toBe(bot.id);
  });

  test("in a channel given by its id, in the topic of the URL", async () => {
    const { channel, bot, queue } = await stage();

    expect(await deliver(bot, { params: { stream: String(channel.id), topic: "pipes" } })).toEqual(posted);

    expect(await nextMessage(queue)).toMatchObject({
      stream_id: channel.id,
      subject: "pipes",
      client: "ZulipJSONWebhook",
    });
  });

  test("only to the bot's owner if the URL names no channel", async () => {
    const { owner, bot, reader, channel, queue } = await stage();
    const owners = await owner.register(["message"]);

    expect(await deliver(bot)).toEqual(posted);

    const message = await nextMessage(owners);
    expect(message).toMatchObject({ type: "private", sender_id: bot.id });
    expect(message.display_recipient).toHaveLength(2);
    const last = await sendToChannel(reader, channel);
    expect((await nextMessage(queue)).id).toBe(last);
  });

  test("from every supported kind of body", async () => {
    const { channel, bot, queue } = await stage();
    const multipart = new FormData();
    multipart.set("payload", '{"body": 4}');
    const bodies: Delivery[] = [
      { body: '{"body": 1}' },
      { body: new URLSearchParams({ payload: '{"body": 2}' }) },
      { body: '{"body": 3}', headers: { "content-type": "application/x-www-form-urlencoded" } },
      { body: multipart },
      { body: Buffer.from('{"body": 5}'), headers: { "content-type": "application/vnd.harbor+json; charset=utf-8" } },
      { body: '{"body": 6}', headers: { "content-type": "text/plain" } },
    ];

    for (const [index, delivery] of bodies.entries()) {
      expect(await deliver(bot, { ...delivery, node: index, params: { stream: channel.name } })).toEqual(posted);
      expect((await nextMessage(queue)).content).toContain(`"body": ${index + 1}`);
    }
  });

  test("where its owner is subscribed, but not where the bot may not post", async () => {
    const scene = await stage();
    const { realm, owner, bot } = scene;
    const secret = await channelOf([owner], "under water", { isPrivate: true });
    const foreign = await channelOf([realm.admin], "captains only", { isPrivate: true });
    const owners = await owner.register(["message"]);
    const admins = await realm.admin.register(["message"]);

    expect(await deliver(bot, { params: { stream: secret.name } })).toEqual(posted);
    expect(await nextMessage(owners)).toMatchObject({ stream_id: secret.id });

    // The response does not reveal whether such a channel exists.
    expect(await deliver(bot, { params: { stream: foreign.name } })).toEqual(posted);
    expect(await deliver(bot, { params: { stream: "nowhere" } })).toEqual(posted);
    expect((await nextMessage(owners)).content).toContain(
      "your bot Hook cannot post to a channel named `captains only`",
    );
    expect((await nextMessage(owners)).content).toContain("`nowhere`");
    const last = await sendToChannel(realm.admin, foreign);
    expect((await nextMessage(admins)).id).toBe(last);
    expect(await messagesUntilNow(scene)).toEqual([]);
  });
});

describe("who may deliver:", () => {
  test("only an incoming webhook bot of this organization, while its key is valid", async () => {
    const scene = await stage();
    const { owner, bot, channel } = scene;
    const other = await newRealm();
    const generic = await newBot(owner, { name: "Generic", type: 1 });
    const params = { stream: channel.name };
    const refused = (msg: string) => ({ status: 401, body: { result: "error", msg, code: "INVALID_API_KEY" } });
    const onlyHooks = refused("Only the API key of an incoming webhook bot is accepted here");

    expect(await deliver({ ...bot, key: "short" }, { params })).toEqual(refused("Malformed API key"));
    expect(await deliver({ ...bot, key: "a".repeat(32) }, { params })).toEqual(refused("Invalid API key"));
    expect(await deliver({ ...bot, key: owner.apiKey }, { params })).toEqual(onlyHooks);
    expect(await deliver(generic, { params })).toEqual(onlyHooks);
    expect(await deliver({ ...bot, realm: other }, { params })).toEqual(refused("Invalid API key"));

    expect(await deliver(bot, { params, node: 1 })).toEqual(posted);
    const { api_key } = success(await owner.call(regenerateBotApiKey, { bot_id: bot.id }));
    expect(await deliver(bot, { params, node: 1 })).toEqual(refused("Invalid API key"));
    expect(await deliver({ ...bot, key: api_key }, { params, node: 1 })).toEqual(posted);
    success(await owner.call(deactivateBot, { bot_id: bot.id }));
    expect(await deliver({ ...bot, key: api_key }, { params, node: 1 })).toEqual(refused("Invalid API key"));

    expect(await messagesUntilNow(scene)).toHaveLength(2);
  });

  test("nobody without a key, or to an unknown integration", async () => {
    const { realm, bot } = await stage();
    const response = await fetch(`${realm.nodes[0]?.url}/api/v1/external/json`, {
      method: "POST",
      headers: { "x-forwarded-host": realm.host },
      body: "{}",
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "REQUEST_VARIABLE_MISSING", var_name: "api_key" });
    expect(await deliver(bot, { integration: "carrier_pigeon" })).toMatchObject({ status: 404 });
  });

  test("if the bot has a shared secret, the service has to prove that it knows it", async () => {
    const scene = await stage();
    const { owner, bot, channel } = scene;
    const params = { stream: channel.name };
    const ping = asDelivered("github", fixture("github", "ping"));
    const signature = (secret: string) => `sha256=${createHmac("sha256", secret).update(ping.body).digest("hex")}`;
    const signed = (secret: string) => ({
      ...ping,
      params,
      headers: { ...ping.headers, "x-hub-signature-256": signature(secret) },
    });
    const refused = {
      status: 400,
      body: { result: "error", msg: "Webhook signature verification failed.", code: "BAD_REQUEST" },
    };
    expect(await deliver(bot, { ...ping, params })).toEqual(posted);
    success(await owner.call(updateBot, { bot_id: bot.id, config_data: { webhook_secret: "tide" } }));
    const born = { name: "Born", service_name: "github", config_data: { webhook_secret: "tide" } };
    const withSecret = await newBot(owner, born);

    expect(await deliver(bot, { ...ping, params })).toEqual(refused);
    expect(await deliver(withSecret, { ...ping, params })).toEqual(refused);
    expect(await deliver(bot, signed("ebb"))).toEqual(refused);
    expect(await deliver(bot, signed("tide"))).toEqual(posted);

    const push = asDelivered("gitlab", fixture("gitlab", "push"));
    const withToken = (token: string) => ({ ...push, params, headers: { ...push.headers, "x-gitlab-token": token } });
    expect(await deliver(bot, withToken("ebb"))).toEqual(refused);
    expect(await deliver(bot, withToken("tide"))).toEqual(posted);

    expect(await messagesUntilNow(scene)).toEqual([
      expect.stringContaining("The webhook of"),
      expect.stringContaining("The webhook of"),
      expect.stringContaining("pushed"),
    ]);
  });

  test("a shared secret is stored encrypted, and deliveries are rejected if it cannot be decrypted", async () => {
    const { owner, bot: plain, channel, realm } = await stage();
    const params = { stream: channel.name };
    const push = asDelivered("gitlab", fixture("gitlab", "push"));
    const withToken = (token: string) => ({ ...push, params, headers: { ...push.headers, "x-gitlab-token": token } });
    const refused = { status: 400, body: { msg: "Webhook signature verification failed." } };
    const config_data = { webhook_secret: "tide-and-ebb" };
    const born = await newBot(owner, { name: "Born", service_name: "gitlab", config_data });
    const { db } = realm.ctx;
    const kept = (id: number) =>
      db.selectFrom("bots").select("config").where("user_id", "=", id).executeTakeFirstOrThrow();
    const keep = (config: object) =>
      db
        .updateTable("bots")
        .set({ config: JSON.stringify(config) })
        .where("user_id", "=", born.id)
        .execute();

    success(await owner.call(updateBot, { bot_id: plain.id, config_data }));

    for (const { id } of [plain, born]) {
      const { config } = await kept(id);
      expect(JSON.stringify(config)).not.toContain("tide");
      expect(config).toEqual({ sealed_webhook_secret: expect.stringMatching(/^v1\./) });
    }
    await keep((await kept(plain.id)).config as object); // another bot's secret does not work
    expect(await deliver(born, withToken("tide-and-ebb"))).toMatchObject(refused);
    await keep(config_data); // as stored before secrets were encrypted
    expect(await deliver(born, withToken("ebb"))).toMatchObject(refused);
    expect(await deliver(born, withToken("tide-and-ebb"))).toEqual(posted);
    success(await owner.call(updateBot, { bot_id: born.id, config_data: { webhook_secret: "flood" } }));
    expect(JSON.stringify((await kept(born.id)).config)).not.toMatch(/tide|flood/);
    expect(await deliver(born, withToken("flood"))).toEqual(posted);
    success(await owner.call(updateBot, { bot_id: born.id, config_data: { webhook_secret: "" } }));
    expect(await kept(born.id)).toEqual({ config: {} });
    expect(await deliver(born, { ...push, params })).toEqual(posted);
  });

  test.each(["GET", "PUT", "PATCH", "DELETE"])(
    "%s is rejected, with an explanation of how to deliver",
    async (method) => {
      const { realm } = await stage();
      const ask = async (integration: string) => {
        const url = `${realm.nodes[0]?.url}/api/v1/external/${integration}?api_key=x`;
        return fetch(url, { method, headers: { "x-forwarded-host": realm.host } });
      };

      for (const path of ["github", "github/"]) {
        const answer = await ask(path);
        expect(answer.status).toBe(405);
        expect(answer.headers.get("allow")).toBe("POST");
        expect(await answer.json()).toEqual({ result: "error", msg: "Method Not Allowed", allowed_methods: ["POST"] });
      }
      expect((await ask("carrier_pigeon")).status).toBe(404);
    },
  );

  test("a bot can be created only for a known integration, with settings it supports", async () => {
    const owner = await (await newRealm()).user("owner");
    const make = (more: object) =>
      owner.call(createBot, { full_name: "Hook", short_name: "hook", bot_type: 2, ...more });
    const refusal = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });

    expect(await make({ service_name: "carrier_pigeon" })).toEqual(refusal("Invalid integration 'carrier_pigeon'."));
    expect(await make({ config_data: { webhook_secret: "tide" } })).toEqual(refusal("Invalid integration ''."));
    expect(await make({ service_name: "github", config_data: { color: "red" } })).toEqual(
      refusal("The GitHub integration has no setting 'color'"),
    );
    expect(await make({ service_name: "json", config_data: { webhook_secret: "tide" } })).toEqual(
      refusal("The JSON formatter integration has no setting 'webhook_secret'"),
    );
    expect(await make({ service_name: "json" })).toMatchObject({ result: "success" });
  });

  test("nobody more often than two hundred times a minute", async () => {
    const node = await strictNode();
    const realm = await newRealm([node]);
    const bot = await newBot(realm.admin);
    const quiet = { integration: "github", headers: { "x-github-event": "label" }, body: "{}" };

    const first = await Promise.all(Array.from({ length: 200 }, () => deliver(bot, quiet)));

    expect(first.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await deliver(bot, quiet)).toMatchObject({ status: 429, body: { code: "RATE_LIMIT_HIT" } });
  });
});

describe("a delivery that cannot be used", () => {
  test("is rejected with the protocol's errors, which name the event", async () => {
    const scene = await stage();
    const { bot, channel } = scene;
    const github = (event: string | undefined, body: string): Delivery => ({
      integration: "github",
      params: { stream: channel.name },
      headers: event === undefined ? {} : { "x-github-event": event },
      body,
    });

    expect(await deliver(bot, github("moon_landing", "{}"))).toEqual({
      status: 200,
      body: {
        result: "success",
        msg: "The 'moon_landing' event isn't currently supported by the GitHub webhook; ignoring",
        code: "UNSUPPORTED_WEBHOOK_EVENT_TYPE",
        webhook_name: "GitHub",
        event_type: "moon_landing",
      },
    });
    expect(await deliver(bot, github("star", '{"action": "created"}'))).toEqual({
      status: 400,
      body: {
        result: "error",
        msg: "Unable to parse request: Did GitHub generate this event?",
        code: "ANOMALOUS_WEBHOOK_PAYLOAD",
        webhook_name: "GitHub",
        event_type: "star",
      },
    });
    expect(await deliver(bot, github(undefined, "{}"))).toEqual({
      status: 400,
      body: {
        result: "error",
        msg: "Missing the HTTP event header 'X-GitHub-Event'",
        code: "MISSING_HTTP_EVENT_HEADER",
        header: "X-GitHub-Event",
      },
    });
    expect(await messagesUntilNow(scene)).toEqual([]);
  });

  test("is reported to the bot's owner if they can fix it, once an hour, and to nobody else", async () => {
    const scene = await stage();
    const { owner, bot } = scene;
    const owners = await owner.register(["message"]);
    const malformed = { status: 400, body: { result: "error", msg: "Malformed JSON", code: "INVALID_JSON" } };

    expect(await deliver(bot, { body: "{" })).toEqual(malformed);
    expect(await deliver(bot, { body: "", node: 1 })).toEqual(malformed);
    expect(await deliver(bot, { body: `${"[".repeat(5000)}${"]".repeat(5000)}` })).toEqual(malformed);
    expect(await deliver(bot, { integration: "gitlab" })).toMatchObject({ body: { header: "X-Gitlab-Event" } });

    expect((await nextMessage(owners)).content).toContain("was not JSON");
    expect((await nextMessage(owners)).content).toContain("had no header `X-Gitlab-Event`");
    expect(await messagesUntilNow(scene)).toEqual([]);
  });

  test("is logged once for each kind", async () => {
    const node = await strictNode();
    const realm = await newRealm([node]);
    const bot = await newBot(realm.admin);
    const logged: unknown[] = [];
    node.ctx.logger.warn = (details: unknown) => void logged.push(details);
    const unknown = { integration: "github", headers: { "x-github-event": "moon_landing" }, body: "{}" };
    const wrong = { integration: "github", headers: { "x-github-event": "star" }, body: '{"action": 1}' };

    for (const delivery of [unknown, wrong, unknown, wrong]) await deliver(bot, delivery);

    expect(logged).toEqual([
      { integration: "github", event: "moon_landing" },
      { integration: "github", event: "star", path: "action" },
    ]);
  });

  test("gets Slack's responses from the Slack-compatible integration", async () => {
    const { bot, channel, queue } = await stage();
    const slack = (body: string) =>
      deliver(bot, { integration: "slack_incoming", params: { stream: channel.name }, body });

    expect(await slack('{"text": "*hello*"}')).toEqual({ status: 200, body: { ...posted.body, ok: true } });
    expect(await slack("nonsense")).toMatchObject({ status: 400, body: { ok: false, error: "Malformed JSON" } });

    expect(await nextMessage(queue)).toMatchObject({ content: "**hello**", client: "ZulipSlackIncomingWebhook" });
  });
});

test("the URL can select events, and unknown parameters are reported", async () => {
  const scene = await stage();
  const { bot, channel } = scene;
  const ask = (name: string, params: Record<string, string>) =>
    deliver(bot, { ...asDelivered("github", fixture("github", name)), params: { stream: channel.name, ...params } });

  expect(await ask("ping", { only_events: '["push*", "release"]' })).toEqual(posted);
  expect(await ask("push", { only_events: '["push*", "release"]' })).toEqual(posted);
  expect(await ask("star", { exclude_events: '["st?r"]' })).toEqual(posted);
  expect(await ask("fork", { exclude_events: '["star"]', branches: "main", depth: "3" })).toEqual({
    status: 200,
    body: { ...posted.body, ignored_parameters_unsupported: ["depth"] },
  });
  expect(await ask("fork", { only_events: "push" })).toMatchObject({ body: { msg: "only_events is not valid JSON" } });
  expect(await ask("fork", { only_events: "{}" })).toMatchObject({ body: { msg: "only_events is not a list" } });
  expect(await ask("fork", { exclude_events: "[7]" })).toMatchObject({
    body: { msg: "exclude_events[0] is not a string" },
  });

  expect(await messagesUntilNow(scene)).toEqual([expect.stringContaining("pushed"), expect.stringContaining("forked")]);
});

const keptOf = async ({ id, realm }: HookBot): Promise<number> =>
  (await realm.ctx.db.selectFrom("incoming_deliveries").select("bot_id").where("bot_id", "=", id).execute()).length;

describe("a repeated delivery", () => {
  const named = (id: string, channel: TestChannel, node: number): Delivery => {
    const ping = asDelivered("github", fixture("github", "ping"));
    return { ...ping, node, params: { stream: channel.name }, headers: { ...ping.headers, "x-github-delivery": id } };
  };

  test("is posted once, even if both arrive at the same time on two nodes", async () => {
    const scene = await stage();
    const { bot, channel } = scene;
    const id = randomUUID();

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => deliver(bot, named(id, channel, index % 2))),
    );

    expect(answers).toEqual(Array.from({ length: 10 }, () => posted));
    expect(await messagesUntilNow(scene)).toHaveLength(1);
  });

  test("is posted again to another place, by another bot, or if it was not posted before", async () => {
    const scene = await stage();
    const { bot, channel, owner, reader } = scene;
    const second = await newBot(owner, { name: "Second" });
    const id = randomUUID();
    const late = { name: "late", id: 0 };

    await deliver(bot, named(id, channel, 0));
    await deliver(second, named(id, channel, 1));
    await deliver(bot, { ...named(id, channel, 0), params: { stream: channel.name, topic: "elsewhere" } });
    await deliver(bot, named(id, late, 0));
    await channelOf([owner, reader], late.name);
    await deliver(bot, named(id, late, 1));

    const heard = await messagesUntilNow(scene);
    expect(heard.filter((content) => content.startsWith("The webhook"))).toHaveLength(4);
  });

  test("is posted again after a day", async () => {
    const scene = await stage();
    const { bot, channel, realm } = scene;
    const [id, young] = [randomUUID(), randomUUID()];
    await deliver(bot, named(id, channel, 0));
    await realm.ctx.db
      .updateTable("incoming_deliveries")
      .set({ received_at: new Date(Date.now() - 25 * 3_600_000) })
      .where("bot_id", "=", bot.id)
      .execute();
    await deliver(bot, named(young, channel, 0));

    await forgetDeliveries.run(realm.ctx, {}, { attempt: 1, maxAttempts: 1 });
    expect(await keptOf(bot)).toBe(1);
    await deliver(bot, named(id, channel, 0));
    await deliver(bot, named(young, channel, 0));

    expect(await messagesUntilNow(scene)).toHaveLength(3);
  });

  test("is recognized by an id that any sender may set, and each of its messages is posted once", async () => {
    const scene = await stage();
    const { bot, channel } = scene;
    const [alerts] = fixtures["alertmanager"] ?? [];
    const delivery = {
      integration: "alertmanager",
      body: JSON.stringify(alerts?.payload),
      params: { stream: channel.name },
      headers: { "idempotency-key": randomUUID() },
    };

    expect(await deliver(bot, delivery)).toEqual(posted);
    expect(await deliver(bot, { ...delivery, node: 1 })).toEqual(posted);

    expect(await messagesUntilNow(scene)).toHaveLength(3);
  });
});

test("untrusted text notifies nobody, even if it mentions them", async () => {
  const scene = await stage();
  const { bot, channel, reader, owner } = scene;
  const star = fixture("github", "star");
  const payload = structuredClone(star.payload) as { sender: { login: string } }; // the fixture's shape
  payload.sender.login = `@**all** @**${reader.fullName}** @**topic** @*role:members*`;
  const slack = { text: `<!channel> @**all** @**${reader.fullName}|${reader.id}**` };
  const params = { stream: channel.name };

  await deliver(bot, { ...asDelivered("github", { ...star, payload }), params });
  await deliver(bot, { integration: "slack_incoming", body: JSON.stringify(slack), params });

  const last = await sendToChannel(owner, channel);
  for (;;) {
    const event = await scene.queue.nextOf("message");
    expect(event.flags.filter((flag) => flag.includes("mention"))).toEqual([]);
    if (event.message.id === last) break;
    expect(event.message.content).toContain("all");
  }
});

test("no delivery causes an internal error, and no posted one mentions anyone", async () => {
  const { bot, channel, queue, owner } = await stage();
  const changed = fc
    .constantFrom(...everyFixture)
    .chain(({ integration, fixture: { headers, payload } }) =>
      mutations(payload).map((made) => ({ integration, headers, body: JSON.stringify(made) })),
    );
  const params = { stream: channel.name };

  const answers = await Promise.all(
    fc.sample(changed, 120).map((delivery, node) => deliver(bot, { ...delivery, params, node })),
  );

  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(20);
  const last = await sendToChannel(owner, channel);
  for (let id = 0; id !== last;) {
    const event = await queue.nextOf("message");
    expect(event.flags.filter((flag) => flag.includes("mention"))).toEqual([]);
    id = event.message.id;
  }
});

test("a delivery executes a fixed number of statements, and more if it has an id", async () => {
  const { bot, channel } = await stage();
  const params = { stream: channel.name, topic: "t" };
  await deliver(bot, { params, node: 1 });

  const plain = await statementsOf(bot.realm, () => deliver(bot, { params, node: 1 }));
  const named = await statementsOf(bot.realm, () =>
    deliver(bot, { params, node: 1, headers: { "idempotency-key": randomUUID() } }),
  );

  expect({ plain, named }).toEqual({ plain: 2, named: 11 });
});
