import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { createBot, deactivateBot, getBots, regenerateBotApiKey, updateBot } from "@skein/api/bots.ts";
import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { getOwnUser, getUser, getUsers, reactivateUser, updateUser } from "@skein/api/users.ts";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, TestUser, type TestQueue, type TestRealm } from "../../../../test/realm.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { accountById } from "../../../identity/account.ts";
import { storeGroupSetting } from "../../organization/permissions/group-settings.ts";
import { realmPermissions } from "../../organization/permissions/realm-permissions.ts";
import { deactivateUser } from "../users/activation.ts";
import { updateRole } from "../users/role.ts";
import { openUrl } from "../../people/bots/sealed-bot.ts";
import { sealWebhookAddresses } from "./webhook-service.ts";

type BotParams = Partial<ArgumentsOf<typeof createBot>>;

const botParams = (more: BotParams = {}) => ({ full_name: "Robo", short_name: "robo", ...more });

/** Creates a bot through the API and returns a client for it. */
async function newBot(owner: TestUser, more: BotParams = {}): Promise<TestUser> {
  const made = success(await owner.call(createBot, botParams(more)));
  const { short_name, full_name } = botParams(more);
  return new TestUser(owner.realm, made.user_id, `${short_name}-bot@${owner.realm.host}`, full_name, made.api_key);
}

async function account(realm: TestRealm, id: number) {
  const found = await accountById(realm.ctx.db, id);
  if (!found) throw new Error("no such account");
  return found;
}

const channelOf = async (owner: TestUser, name: string, more: Partial<ArgumentsOf<typeof subscribe>> = {}) => {
  success(await owner.call(subscribe, { subscriptions: [{ name }], ...more }));
  const row = await owner.realm.ctx.db
    .selectFrom("channels")
    .select("id")
    .where("realm_id", "=", owner.realm.id)
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return row.id;
};

const say = (user: TestUser, to: number, content = "beep") =>
  user.call(sendMessage, { type: "channel", to, topic: "bots", content });

/** The events of a queue up to the one that renames a user to this name. */
async function eventsBefore(queue: TestQueue, fullName: string): Promise<string[]> {
  const events: string[] = [];
  for (;;) {
    const event = await queue.next();
    if (event.type === "realm_user" && event.op === "update" && "full_name" in event.person)
      if (event.person.full_name === fullName) return events;
    events.push(`${event.type}/${"op" in event ? event.op : ""}`);
  }
}

const refusal = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });
const insufficient = refusal("Insufficient permission");

// spec 2.4: is_bot, bot_type, bot_owner_id, delivery_email
// spec 5: authentication by a bot's address and API key
test("a bot signs in with its address and key, and everybody sees whose it is", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const guest = await realm.user("guest", { role: 600 });

  const bot = await newBot(hamlet);

  expect(success(await bot.call(getOwnUser, {}))).toMatchObject({ user_id: bot.id, email: bot.email, is_bot: true });
  const { user } = success(await guest.call(getUser, { user_id: bot.id }));
  expect(user).toMatchObject({
    user_id: bot.id,
    email: `robo-bot@${realm.host}`,
    delivery_email: `robo-bot@${realm.host}`,
    full_name: "Robo",
    is_bot: true,
    bot_type: 1,
    bot_owner_id: hamlet.id,
    role: 400,
    is_active: true,
  });
  expect(user).not.toHaveProperty("profile_data");
});

test("the owner can read a bot's key again; the database and the log contain it only encrypted", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const queue = await hamlet.register(["realm_bot"]);

  const bot = await newBot(hamlet);

  expect(success(await hamlet.call(getBots, {})).bots).toEqual([
    {
      username: bot.email,
      full_name: "Robo",
      api_key: bot.apiKey,
      avatar_url: expect.stringMatching(/^\/avatar\/\d+\?version=1$/),
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
    },
  ]);
  expect(await queue.next()).toMatchObject({ bot: { api_key: bot.apiKey } });
  const row = await realm.ctx.db.selectFrom("bots").selectAll().where("user_id", "=", bot.id).executeTakeFirstOrThrow();
  expect(JSON.stringify(row)).not.toContain(bot.apiKey);
});

test("the owner can read a webhook's URL; the database and the log contain it only encrypted", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const urls = ["https://example.com/hook/first-secret", "https://example.com/hook/second-secret"];
  const [payload_url = "", service_payload_url = ""] = urls;
  const queue = await hamlet.register(["realm_bot"]);

  const bot = await newBot(hamlet, { bot_type: 3, payload_url });
  success(await hamlet.call(updateBot, { bot_id: bot.id, service_payload_url }));

  for (const base_url of urls) expect(await queue.next()).toMatchObject({ bot: { services: [{ base_url }] } });
  const { state } = await hamlet.register([], ["realm_bot"]);
  expect(state.realm_bots).toMatchObject([{ services: [{ base_url: service_payload_url }] }]);
  const rows = await realm.ctx.db.selectFrom("outgoing_webhooks").selectAll().where("bot_id", "=", bot.id).execute();
  expect(rows).toHaveLength(1);
  const log = await newestEntries(realm);
  expect(log).toContain(`"user_id":${bot.id}`);
  for (const text of [JSON.stringify(rows), log]) expect(text).not.toMatch(/first-secret|second-secret/);
});

/** The end of the event log, as stored in NATS. */
async function newestEntries({ ctx: { config } }: TestRealm): Promise<string> {
  const connection = await connect({ servers: config.natsUrl });
  try {
    const { streams } = await jetstreamManager(connection);
    const name = `${config.logName}_events`;
    const { last_seq } = (await streams.info(name)).state;
    const numbers = Array.from({ length: Math.min(last_seq, 300) }, (_, index) => last_seq - index);
    const entries = await Promise.all(numbers.map((seq) => streams.getMessage(name, { seq })));
    return entries.map((entry) => (entry ? new TextDecoder().decode(entry.data) : "")).join("\n");
  } finally {
    await connection.close();
  }
}

test("a webhook URL stored by an earlier release still works and is then encrypted", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const bot = await newBot(hamlet, { bot_type: 3, payload_url: "https://example.com/1" });
  const { db, secretBox } = realm.ctx;
  const row = () =>
    db.selectFrom("outgoing_webhooks").selectAll().where("bot_id", "=", bot.id).executeTakeFirstOrThrow();
  const base_url = "https://example.com/2";
  await db.updateTable("outgoing_webhooks").set({ base_url }).where("bot_id", "=", bot.id).execute();

  const before = openUrl(secretBox, bot.id, await row());
  while (await transaction(db, "test", (tx) => sealWebhookAddresses(tx, secretBox)));
  const sealed = await row();

  expect(before).toBe(base_url);
  expect(sealed.base_url).toBe("");
  expect(openUrl(secretBox, bot.id, sealed)).toBe(base_url);
});

describe("the events of a new bot", () => {
  // spec 6: realm_bot
  test("announce the account to everybody, but its key only to the owner and human administrators", async () => {
    const realm = await newRealm();
    const [hamlet, ophelia, guest] = [
      await realm.user("hamlet"),
      await realm.user("ophelia"),
      await realm.user("guest", { role: 600 }),
    ];
    const admin = await realm.user("admin", { role: 200 });
    const adminBot = await newBot(realm.admin, { short_name: "chief", full_name: "Chief" });
    success(await realm.admin.call(updateBot, { bot_id: adminBot.id, role: 200 }));
    const elsewhere = await newRealm();
    const queues = await Promise.all(
      [hamlet, admin, ophelia, guest, adminBot, elsewhere.admin].map((user) =>
        user.register(["realm_bot", "realm_user"]),
      ),
    );

    const bot = await newBot(hamlet);
    success(await realm.admin.call(updateBot, { bot_id: adminBot.id, full_name: "Chief again" }));

    const events = await Promise.all(queues.slice(0, 5).map((queue) => eventsBefore(queue, "Chief again")));
    expect(events).toEqual([
      ["realm_user/add", "realm_bot/add"],
      ["realm_user/add", "realm_bot/add"],
      ["realm_user/add"],
      ["realm_user/add"],
      ["realm_user/add"],
    ]);
    expect(await queues[5]?.all()).toEqual([]);
    expect(bot.id).toBeGreaterThan(0);
  });

  test("contain the whole bot", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const channel = await channelOf(hamlet, "machines");
    const queue = await realm.admin.register(["realm_bot"]);

    const bot = await newBot(hamlet, {
      bot_type: 3,
      payload_url: "https://example.com/hook",
      interface_type: 2,
      default_sending_stream: "Machines",
      default_all_public_streams: true,
    });

    expect(channel).toBeGreaterThan(0);
    expect(await queue.next()).toEqual({
      type: "realm_bot",
      op: "add",
      bot: {
        user_id: bot.id,
        email: bot.email,
        full_name: "Robo",
        bot_type: 3,
        is_active: true,
        owner_id: hamlet.id,
        api_key: bot.apiKey,
        avatar_url: expect.stringMatching(/^\/avatar\/\d+\?version=1$/),
        default_sending_stream: "machines",
        default_events_register_stream: null,
        default_all_public_streams: true,
        services: [{ base_url: "https://example.com/hook", interface: 2, token: expect.stringMatching(/^.{32}$/) }],
      },
    });
  });
});

describe("a bot is not created", () => {
  test.each([
    [{ short_name: "" }, "Bad name or username"],
    [{ short_name: "two words" }, "Bad name or username"],
    [{ short_name: "a@b" }, "Bad name or username"],
    [{ short_name: "x".repeat(250) }, "Bad name or username"],
    [{ full_name: "R" }, "Name too short!"],
    [{ full_name: "R".repeat(101) }, "Name too long!"],
    [{ full_name: "Robo**" }, "Invalid characters in name!"],
    [{ full_name: "notification bot" }, "Name is already in use."],
    [{ bot_type: 5 }, "Invalid bot type"],
    [{ bot_type: 0 }, "Invalid bot type"],
    [{ bot_type: 4, service_name: "followup" }, "Embedded bots are not enabled."],
    [{ bot_type: 2, service_name: "nosuch" }, "Invalid integration 'nosuch'."],
    [{ bot_type: 3 }, "payload_url is not a URL"],
    [{ bot_type: 3, payload_url: "not a url" }, "payload_url is not a URL"],
    [{ bot_type: 3, payload_url: "ftp://example.com/" }, "payload_url is not a URL"],
    [{ bot_type: 3, payload_url: `https://example.com/${"x".repeat(2000)}` }, "payload_url is not a URL"],
    [{ bot_type: 3, payload_url: "https://example.com/", interface_type: 3 }, "Invalid interface type"],
    [{ default_sending_stream: "nowhere" }, "Invalid channel name 'nowhere'"],
  ])("from %j", async (more: BotParams, msg) => {
    const realm = await newRealm();

    expect(await realm.admin.call(createBot, botParams(more))).toEqual(refusal(msg));
    expect(success(await realm.admin.call(getUsers, {})).members).toHaveLength(1);
  });

  test("by guests or bots, or by those the organization does not let", async () => {
    const realm = await newRealm();
    const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
    const bot = await newBot(hamlet);
    const nobody = await realm.ctx.db
      .selectFrom("user_groups")
      .select("id")
      .where("realm_id", "=", realm.id)
      .where("name", "=", "role:administrators")
      .executeTakeFirstOrThrow();
    await transaction(realm.ctx.db, "test", async (tx) => {
      const rule = realmPermissions.can_create_bots_group;
      const id = await storeGroupSetting(tx, realm.id, "can_create_bots_group", nobody.id, rule);
      await tx.updateTable("realms").set({ can_create_bots_group_id: id }).where("id", "=", realm.id).execute();
    });
    const other = { short_name: "other", full_name: "Other" };

    expect(await guest.call(createBot, botParams(other))).toEqual(refusal("Not allowed for guest users"));
    expect(await bot.call(createBot, botParams(other))).toEqual(refusal("This endpoint does not accept bot requests."));
    expect(await hamlet.call(createBot, botParams(other))).toEqual(insufficient);
    expect(await hamlet.call(createBot, botParams({ ...other, bot_type: 2 }))).toMatchObject({ result: "success" });
    expect(await realm.admin.call(createBot, botParams({ short_name: "third", full_name: "Third" }))).toMatchObject({
      result: "success",
    });
  });

  test("on a server without a secret to encrypt its key with", async () => {
    const node = await startNode({ environment: { SKEIN_SECRET: "", SKEIN_ROLES: "api" } });
    const realm = await newRealm([node]);

    const answer = await realm.admin.call(createBot, botParams());

    expect(answer).toMatchObject({ result: "error", msg: expect.stringContaining("SKEIN_SECRET") });
    expect(success(await realm.admin.call(getUsers, {})).members).toHaveLength(1);
  });

  test("twice: if many requests use the same name or address at once, on two nodes, one succeeds", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");

    const sameName = await Promise.all(
      Array.from({ length: 6 }, (_, index) => hamlet.call(createBot, botParams({ short_name: `robo${index}` }))),
    );
    const sameAddress = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        hamlet.call(createBot, botParams({ full_name: `Bot ${index}`, short_name: "b" })),
      ),
    );

    for (const [answers, msg] of [
      [sameName, "Name is already in use."],
      [sameAddress, "Email is already in use."],
    ] as const) {
      expect(answers.filter((answer) => answer.result === "success")).toHaveLength(1);
      expect(answers.filter((answer) => answer.result === "error")).toEqual(
        Array.from({ length: 5 }, () => refusal(msg)),
      );
    }
  });

  test("with a default channel that its owner may not know of", async () => {
    const realm = await newRealm();
    const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
    await channelOf(ophelia, "secret", { invite_only: true });
    const bot = await newBot(hamlet);

    const msg = "Invalid channel name 'secret'";
    expect(
      await hamlet.call(createBot, botParams({ short_name: "b", full_name: "Bb", default_sending_stream: "secret" })),
    ).toEqual(refusal(msg));
    expect(await realm.admin.call(updateBot, { bot_id: bot.id, default_sending_stream: "secret" })).toEqual(
      refusal(msg),
    );
  });
});

describe("changing a bot", () => {
  test("is for its owner and for administrators", async () => {
    const realm = await newRealm();
    const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
    const bot = await newBot(hamlet);
    const elsewhere = await newRealm();

    for (const [endpoint, more] of [
      [updateBot, { full_name: "Mine" }],
      [deactivateBot, {}],
      [regenerateBotApiKey, {}],
    ] as const) {
      const ask = { bot_id: bot.id, ...more };
      expect(await ophelia.call(endpoint, ask)).toEqual(insufficient);
      expect(await bot.call(endpoint, ask)).toEqual(refusal("This endpoint does not accept bot requests."));
      expect(await elsewhere.admin.call(endpoint, ask)).toEqual(refusal("No such bot"));
      expect(await realm.admin.call(endpoint, { ...ask, bot_id: ophelia.id })).toEqual(refusal("No such bot"));
    }
    expect(await hamlet.call(updateBot, { bot_id: bot.id, full_name: "Robot" })).toMatchObject({
      result: "success",
      full_name: "Robot",
      bot_owner: hamlet.email,
    });
    expect(await realm.admin.call(updateBot, { bot_id: bot.id, full_name: "Robert" })).toMatchObject({
      full_name: "Robert",
    });
  });

  test("emits public fields to everybody, and the rest to its owner and administrators", async () => {
    const realm = await newRealm();
    const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
    await channelOf(hamlet, "machines");
    const bot = await newBot(hamlet, { bot_type: 3, payload_url: "https://example.com/1" });
    const owners = await hamlet.register(["realm_bot"]);
    const others = await ophelia.register(["realm_bot", "realm_user"]);

    const answer = await hamlet.call(updateBot, {
      bot_id: bot.id,
      full_name: "Robot",
      service_payload_url: "https://example.com/2",
      service_interface: 2,
      default_events_register_stream: "machines",
      default_all_public_streams: true,
      config_data: { colour: "grey" },
    });

    expect(answer).toMatchObject({
      full_name: "Robot",
      service_payload_url: "https://example.com/2",
      service_interface: 2,
      config_data: { colour: "grey" },
      default_events_register_stream: "machines",
    });
    const base = { type: "realm_bot", op: "update" };
    expect(await owners.next()).toEqual({ ...base, bot: { user_id: bot.id, full_name: "Robot" } });
    expect(await owners.next()).toMatchObject({
      ...base,
      bot: { user_id: bot.id, services: [{ base_url: "https://example.com/2", interface: 2 }] },
    });
    expect(await owners.next()).toEqual({
      ...base,
      bot: { user_id: bot.id, default_events_register_stream: "machines", default_all_public_streams: true },
    });
    expect(await others.next()).toEqual({
      type: "realm_user",
      op: "update",
      person: { user_id: bot.id, full_name: "Robot" },
    });
    expect(await others.all()).toEqual([]);
  });

  test.each([
    [{ full_name: "Robo 2" }, "Name is already in use."],
    [{ service_payload_url: "nowhere" }, "service_payload_url is not a URL"],
    [{ service_payload_url: "https://example.com/" }, "Not an outgoing webhook bot"],
    [{ bot_owner_id: 0 }, "Failed to change owner, no such user"],
    [{ role: 200 as const }, "Must be an organization administrator"],
    [{ config_data: { a: "x".repeat(10_000) } }, "Cannot store configuration: it would be larger than 10000 bytes."],
  ])("to %j is refused to its owner", async (change, msg) => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const bot = await newBot(hamlet);
    await newBot(hamlet, { short_name: "robo2", full_name: "Robo 2" });

    expect(await hamlet.call(updateBot, { bot_id: bot.id, ...change })).toEqual(refusal(msg));
  });

  test("cannot grant it a role that the administrator could not grant", async () => {
    const realm = await newRealm();
    const admin = await realm.user("admin", { role: 200 });
    const bot = await newBot(admin);

    expect(await admin.call(updateBot, { bot_id: bot.id, role: 100 })).toEqual(
      refusal("Must be an organization owner"),
    );
    expect(await admin.call(updateBot, { bot_id: bot.id, role: 300 })).toMatchObject({ result: "success" });
    expect(success(await admin.call(getUser, { user_id: bot.id })).user.role).toBe(300);
  });
});

describe("a bot that has the role of an owner", () => {
  const keySeenBy = async (user: TestUser, bot: TestUser) => {
    const { state } = await user.register([], ["realm_bot"]);
    return state.realm_bots?.find(({ user_id }) => user_id === bot.id)?.api_key;
  };

  test("can be changed and deactivated only by organization owners, whoever owns the bot", async () => {
    const realm = await newRealm();
    const [admin, other] = [await realm.user("admin", { role: 200 }), await realm.user("other", { role: 200 })];
    const bot = await newBot(admin);
    success(await realm.admin.call(updateBot, { bot_id: bot.id, role: 100 }));

    for (const [endpoint, more] of [
      [updateBot, { full_name: "Mine" }],
      [updateBot, { bot_owner_id: other.id }],
      [regenerateBotApiKey, {}],
      [deactivateBot, {}],
    ] as const) {
      const ask = { bot_id: bot.id, ...more };
      for (const user of [admin, other])
        expect(await user.call(endpoint, ask)).toEqual(refusal("Must be an organization owner"));
      success(await realm.admin.call(endpoint, ask));
    }
  });

  test("shows its key only to organization owners, and its previous key no longer works", async () => {
    const realm = await newRealm();
    const [admin, other] = [await realm.user("admin", { role: 200 }), await realm.user("other", { role: 200 })];
    const bot = await newBot(admin);
    for (const node of [0, 1]) success(await bot.on(node).call(getOwnUser, {}));
    expect(await keySeenBy(other, bot)).toBe(bot.apiKey);

    success(await realm.admin.call(updateBot, { bot_id: bot.id, role: 100 }));
    for (const node of [0, 1]) expect(await bot.on(node).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
    const queue = await admin.register(["realm_bot"]);
    const { api_key } = success(await realm.admin.call(regenerateBotApiKey, { bot_id: bot.id }));

    success(await new TestUser(realm, bot.id, bot.email, "Robo", api_key).call(getOwnUser, {}));
    expect(await keySeenBy(realm.admin, bot)).toBe(api_key);
    for (const user of [admin, other]) expect(await keySeenBy(user, bot)).toBe("");
    expect(success(await admin.call(getBots, {})).bots).toMatchObject([{ username: bot.email, api_key: "" }]);
    expect(await queue.next()).toEqual({ type: "realm_bot", op: "update", bot: { user_id: bot.id, api_key: "" } });
  });
});

describe("a user who loses a role", () => {
  const lose = {
    "by an owner": (realm: TestRealm, user: TestUser, role: 200 | 400 | 600) =>
      realm.admin.call(updateUser, { user_id: user.id, role }),
    "by the server's operator": (realm: TestRealm, user: TestUser, role: 200 | 400 | 600) =>
      transaction(realm.ctx.db, "test", async (tx) =>
        updateRole(tx, (await account(realm, user.id)).realm, user.id, role),
      ),
  };

  test.for([
    [100, 400, "by an owner"],
    [100, 200, "by the server's operator"],
    [200, 600, "by the server's operator"],
    [200, 400, "by an owner"],
  ] as const)("(%s to %s, %s) does not keep it through a bot", async ([from, to, how]) => {
    const realm = await newRealm();
    const loser = await realm.user("loser", { role: from });
    const bot = await newBot(loser);
    const lower = await newBot(loser, { short_name: "lower", full_name: "Lower" });
    success(await realm.admin.call(updateBot, { bot_id: bot.id, role: from }));
    const { api_key } = success(await realm.admin.call(regenerateBotApiKey, { bot_id: bot.id }));
    const keeper = new TestUser(realm, bot.id, bot.email, "Robo", api_key);
    for (const node of [0, 1]) expect(success(await keeper.on(node).call(getOwnUser, {})).role).toBe(from);
    const [people, bots] = [await realm.admin.register(["realm_user"]), await realm.admin.register(["realm_bot"])];

    await lose[how](realm, loser, to);

    for (const node of [0, 1]) {
      expect(await keeper.on(node).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
      expect(await keeper.on(node).call(updateUser, { user_id: loser.id, role: from })).toMatchObject({
        code: "UNAUTHORIZED",
      });
    }
    const roleOf = async (id: number) => success(await realm.admin.call(getUser, { user_id: id })).user.role;
    expect([await roleOf(loser.id), await roleOf(bot.id), await roleOf(lower.id)]).toEqual([
      to,
      to,
      to === 600 ? 600 : 400,
    ]);
    const update = { type: "realm_user", op: "update" };
    expect(await people.next()).toEqual({ ...update, person: { user_id: loser.id, role: to } });
    expect(await people.next()).toEqual({ ...update, person: { user_id: bot.id, role: to } });
    expect(await bots.next()).toEqual({ type: "realm_bot", op: "update", bot: { user_id: bot.id, api_key: "" } });
    expect((await lower.call(getOwnUser, {})).result).toBe(to < 600 ? "success" : "error");
  });

  test("cannot keep it through a bot that is concurrently created or promoted", async () => {
    const realm = await newRealm();
    const owners = await Promise.all([1, 2, 3, 4].map((n) => realm.user(`owner-${n}`, { role: 100 })));

    for (const [index, owner] of owners.entries()) {
      const bot = await newBot(owner, { short_name: `b${index}`, full_name: `B ${index}` });
      await Promise.all([
        realm.admin.on(0).call(updateUser, { user_id: owner.id, role: 600 }),
        owner.on(1).call(updateBot, { bot_id: bot.id, role: 100 }),
        owner.on(0).call(createBot, botParams({ short_name: `late${index}`, full_name: `Late ${index}` })),
      ]);
    }

    const rows = await realm.ctx.db
      .selectFrom("users")
      .select("role")
      .where("realm_id", "=", realm.id)
      .where("is_bot", "=", true)
      .where("is_system_bot", "=", false)
      .execute();
    expect(new Set(rows.map(({ role }) => role))).toEqual(new Set([600]));
  });
});

describe("transferring a bot", () => {
  // spec 6: realm_user, bot owner change
  test("takes it from one owner and gives it to the other", async () => {
    const realm = await newRealm();
    const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
    const bot = await newBot(hamlet);
    const [before, after, admin] = await Promise.all(
      [hamlet, ophelia, realm.admin].map((user) => user.register(["realm_bot"])),
    );
    const everybody = await ophelia.register(["realm_user"]);

    success(await realm.admin.call(updateBot, { bot_id: bot.id, bot_owner_id: ophelia.id }));

    expect(await before?.next()).toEqual({ type: "realm_bot", op: "delete", bot: { user_id: bot.id } });
    const { bots } = success(await ophelia.call(getBots, {}));
    const { api_key = "" } = bots[0] ?? {};
    expect(await after?.next()).toMatchObject({ op: "add", bot: { user_id: bot.id, api_key } });
    const update = { type: "realm_bot", op: "update" };
    expect(await admin?.next()).toEqual({ ...update, bot: { user_id: bot.id, owner_id: ophelia.id } });
    expect(await admin?.next()).toEqual({ ...update, bot: { user_id: bot.id, api_key } });
    // The previous owner knows the old key.
    for (const node of [0, 1]) expect(await bot.on(node).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
    success(await new TestUser(realm, bot.id, bot.email, "Robo", api_key).call(getOwnUser, {}));
    expect(await everybody.next()).toMatchObject({ person: { user_id: bot.id, bot_owner_id: ophelia.id } });
    expect(await hamlet.call(regenerateBotApiKey, { bot_id: bot.id })).toEqual(insufficient);
    expect(success(await hamlet.call(getBots, {})).bots).toEqual([]);
    expect(success(await ophelia.call(getBots, {})).bots).toHaveLength(1);
  });

  test("works only to active users", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const [bot, other] = [await newBot(hamlet), await newBot(hamlet, { short_name: "o", full_name: "Other" })];
    const [gone, elsewhere] = [await realm.user("gone"), await newRealm()];
    await transaction(realm.ctx.db, "test", async (tx) =>
      deactivateUser(tx, (await account(realm, hamlet.id)).realm, gone.id),
    );
    const give = (bot_owner_id: number) => hamlet.call(updateBot, { bot_id: bot.id, bot_owner_id });

    expect(await give(gone.id)).toEqual(refusal("Failed to change owner, user is deactivated"));
    expect(await give(other.id)).toEqual(refusal("Failed to change owner, bots can't own other bots"));
    expect(await give(elsewhere.admin.id)).toEqual(refusal("Failed to change owner, no such user"));
  });
});

test("a bot can have a picture and get a new one, which everybody receives", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const fields = { full_name: "Robo", short_name: "robo" };

  const bad = await hamlet.upload("/bots", { "robo.png": Buffer.from("no picture") }, fields);
  const made = await hamlet.upload("/bots", { "robo.png": picture }, fields);
  const queue = await hamlet.register(["realm_bot", "realm_user"]);
  const changed = await hamlet.upload(`/bots/${String(made["user_id"])}`, { "robo.png": picture }, { method: "PATCH" });

  expect(bad).toMatchObject({ code: "BAD_IMAGE" });
  expect(made["avatar_url"]).toMatch(/^\/user_avatars\//);
  expect(changed["avatar_url"]).toMatch(/^\/user_avatars\//);
  expect(changed["avatar_url"]).not.toBe(made["avatar_url"]);
  expect(await queue.next()).toMatchObject({ type: "realm_user", person: { avatar_url: changed["avatar_url"] } });
  expect(await queue.next()).toMatchObject({ type: "realm_bot", bot: { avatar_url: changed["avatar_url"] } });
});

test("a new key revokes the old one on every node immediately, and its owner receives it", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const bot = await newBot(hamlet);
  const queue = await hamlet.register(["realm_bot"]);
  success(await bot.on(0).call(getOwnUser, {}));
  success(await bot.on(1).call(getOwnUser, {}));

  const { api_key } = success(await hamlet.on(0).call(regenerateBotApiKey, { bot_id: bot.id }));

  expect(await bot.on(1).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
  expect(await bot.on(0).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
  const renewed = new TestUser(realm, bot.id, bot.email, "Robo", api_key);
  success(await renewed.call(getOwnUser, {}));
  expect(await queue.next()).toEqual({ type: "realm_bot", op: "update", bot: { user_id: bot.id, api_key } });
});

describe("deactivating a bot", () => {
  test("takes effect immediately, and reactivating it works if its name is still free", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const bot = await newBot(hamlet);
    const queue = await hamlet.register(["realm_bot"]);
    success(await bot.on(1).call(getOwnUser, {}));

    success(await hamlet.on(0).call(deactivateBot, { bot_id: bot.id }));

    expect(await bot.on(1).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
    const update = { type: "realm_bot", op: "update" };
    expect(await queue.next()).toEqual({ ...update, bot: { user_id: bot.id, api_key: "" } });
    expect(await queue.next()).toEqual({ ...update, bot: { user_id: bot.id, is_active: false } });
    expect(success(await hamlet.call(getBots, {})).bots).toEqual([]);

    const usurper = await newBot(hamlet, { short_name: "usurper" });
    const taken =
      'There is already an active bot named "Robo". Rename or deactivate it before you reactivate this one.';
    expect(await hamlet.call(reactivateUser, { user_id: bot.id })).toEqual(refusal(taken));
    success(await hamlet.call(deactivateBot, { bot_id: usurper.id }));
    expect(await (await realm.user("ophelia")).call(reactivateUser, { user_id: bot.id })).toEqual(insufficient);
    const opening = await hamlet.register(["realm_bot"]);
    success(await hamlet.call(reactivateUser, { user_id: bot.id }));
    expect(await bot.call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
    const { api_key = "" } = success(await hamlet.call(getBots, {})).bots[0] ?? {};
    success(await new TestUser(realm, bot.id, bot.email, "Robo", api_key).call(getOwnUser, {}));
    expect(await opening.next()).toMatchObject({ bot: { user_id: bot.id, is_active: true } });
    expect(await opening.next()).toEqual({ ...update, bot: { user_id: bot.id, api_key } });
  });

  test("happens when its owner's account is deactivated", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const bot = await newBot(hamlet);
    const queue = await realm.admin.register(["realm_bot"]);

    await transaction(realm.ctx.db, "test", async (tx) =>
      deactivateUser(tx, (await account(realm, hamlet.id)).realm, hamlet.id),
    );

    expect(await bot.call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
    expect(await queue.next()).toMatchObject({ bot: { user_id: bot.id, api_key: "" } });
    expect(await queue.next()).toMatchObject({ bot: { user_id: bot.id, is_active: false } });
  });
});

describe("a bot writes", () => {
  test("where its owner is subscribed, though it reads nothing there", async () => {
    const realm = await newRealm();
    const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
    const [own, foreign] = [
      await channelOf(hamlet, "own", { invite_only: true }),
      await channelOf(ophelia, "foreign", { invite_only: true }),
    ];
    const bot = await newBot(hamlet);
    const { id } = success(await say(hamlet, own, "for people"));
    const queue = await hamlet.register(["message"]);

    expect(await say(bot, own, "first")).toMatchObject({ result: "success" });
    expect(await say(bot, own, "second")).toMatchObject({ result: "success" });

    expect(await queue.next()).toMatchObject({ message: { sender_id: bot.id, content: "first" } });
    expect(await say(bot, foreign)).toMatchObject({ code: "STREAM_DOES_NOT_EXIST" });
    expect(await bot.call(getMessage, { message_id: id })).toEqual(refusal("Invalid message(s)"));
  });

  test("where its owner may, when it may not itself", async () => {
    const realm = await newRealm();
    const admins = await realm.ctx.db
      .selectFrom("user_groups")
      .select("id")
      .where("realm_id", "=", realm.id)
      .where("name", "=", "role:administrators")
      .executeTakeFirstOrThrow();
    const channel = await channelOf(realm.admin, "announcements", { can_send_message_group: admins.id });
    const hamlet = await realm.user("hamlet");
    const [ours, theirs] = [
      await newBot(realm.admin),
      await newBot(hamlet, { short_name: "their", full_name: "Their" }),
    ];

    expect(await say(ours, channel)).toMatchObject({ result: "success" });
    expect(await say(theirs, channel)).toEqual(refusal("You do not have permission to post in this channel."));
  });

  test("to its default channel if it names none, which only bots have", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    await channelOf(hamlet, "machines");
    const bot = await newBot(hamlet, { default_sending_stream: "machines" });
    const queue = await hamlet.register(["message"]);

    const send = { type: "channel", topic: "bots", content: "beep" };
    expect(await bot.request("POST", "/messages", send)).toMatchObject({ result: "success" });
    expect(await queue.next()).toMatchObject({ message: { display_recipient: "machines" } });
    expect(await hamlet.request("POST", "/messages", send)).toMatchObject({ code: "REQUEST_VARIABLE_MISSING" });
  });
});

test("a bot receives events of its configured channels, unless it requests others", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const [machines, others] = [await channelOf(hamlet, "machines"), await channelOf(hamlet, "others")];
  const bot = await newBot(hamlet, { default_events_register_stream: "machines", default_all_public_streams: true });
  const usual = await bot.register(["message"]);
  const chosen = await bot.register(["message"], [], { narrow: [["stream", "others"]] });

  success(await say(hamlet, others, "one"));
  success(await say(hamlet, machines, "two"));

  expect(await usual.next()).toMatchObject({ message: { content: "two" } });
  expect(await chosen.next()).toMatchObject({ message: { content: "one" } });
});

test("an incoming-webhook bot sends messages and does nothing else", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const channel = await channelOf(hamlet, "machines");
  const bot = await newBot(hamlet, { bot_type: 2 });

  expect(await say(bot, channel)).toMatchObject({ result: "success" });
  for (const [method, path] of [
    ["GET", "/users"],
    ["POST", "/register"],
    ["GET", "/bot_storage"],
    ["PATCH", "/settings"],
  ] as const)
    expect(await bot.request(method, path)).toMatchObject({ code: "UNAUTHORIZED" });
});

describe("applying bot events matches a fresh registration", () => {
  test("when bots are created, changed, transferred and deactivated", async () => {
    const realm = await newRealm();
    const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
    await channelOf(hamlet, "machines");
    const kept = await newBot(hamlet, { short_name: "kept", full_name: "Kept" });
    const people = [realm.admin, hamlet, ophelia];
    const queues = await Promise.all(people.map((user) => user.register(["realm_bot", "message"], ["realm_bot"])));

    const bot = await newBot(hamlet, { bot_type: 3, payload_url: "https://example.com/" });
    success(
      await hamlet.call(updateBot, { bot_id: bot.id, full_name: "New name", default_sending_stream: "machines" }),
    );
    success(await hamlet.call(regenerateBotApiKey, { bot_id: bot.id }));
    success(await hamlet.call(updateBot, { bot_id: kept.id, bot_owner_id: ophelia.id }));
    success(await realm.admin.call(updateBot, { bot_id: bot.id, service_payload_url: "https://example.com/2" }));
    success(await hamlet.call(deactivateBot, { bot_id: bot.id }));
    const { id } = success(
      await realm.admin.call(sendMessage, { type: "direct", to: [hamlet.id, ophelia.id], content: "done" }),
    );

    for (const [index, queue] of queues.entries()) {
      const fresh = await people[index]?.register([], ["realm_bot"]);
      expect((await queue.followedState(id)).realm_bots).toEqual(fresh?.state.realm_bots);
    }
  });

  test("when a user gains and loses the administrator role", async () => {
    const realm = await newRealm();
    const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
    await newBot(hamlet);
    await newBot(ophelia, { short_name: "own", full_name: "Own" });
    const change = (role: 200 | 400) =>
      transaction(realm.ctx.db, "test", async (tx) =>
        updateRole(tx, (await account(realm, realm.admin.id)).realm, ophelia.id, role),
      );
    const done = async () =>
      success(await realm.admin.call(sendMessage, { type: "direct", to: [ophelia.id], content: "done" })).id;

    for (const [role, count] of [
      [200, 2],
      [400, 1],
    ] as const) {
      const queue = await ophelia.register(["realm_bot", "message"], ["realm_bot"]);
      await change(role);
      const followed = await queue.followedState(await done());
      const fresh = await ophelia.register([], ["realm_bot"]);
      expect(fresh.state.realm_bots).toHaveLength(count);
      expect(followed.realm_bots).toEqual(fresh.state.realm_bots);
    }
  });

  test("when bots and users gain and lose the owner role", async () => {
    const realm = await newRealm();
    const [admin, hamlet] = [await realm.user("admin", { role: 200 }), await realm.user("hamlet")];
    const [bot, other] = [await newBot(hamlet), await newBot(admin, { short_name: "o", full_name: "Other" })];
    const people = [realm.admin, admin, hamlet];
    const changes: [TestUser, 100 | 200 | 400][] = [
      [bot, 100],
      [admin, 100],
      [admin, 200],
      [hamlet, 200],
      [hamlet, 100],
      [hamlet, 400],
      [other, 100],
      [bot, 200],
      [admin, 400],
    ];

    for (const [{ id: user_id }, role] of changes) {
      for (const { id: bot_id } of [bot, other]) success(await realm.admin.call(regenerateBotApiKey, { bot_id }));
      const queues = await Promise.all(people.map((user) => user.register(["realm_bot", "message"], ["realm_bot"])));
      success(await realm.admin.call(updateUser, { user_id, role }));
      const { id } = success(
        await realm.admin.call(sendMessage, { type: "direct", to: [admin.id, hamlet.id], content: "done" }),
      );
      for (const [index, queue] of queues.entries()) {
        const fresh = await people[index]?.register([], ["realm_bot"]);
        expect((await queue.followedState(id)).realm_bots).toEqual(fresh?.state.realm_bots);
      }
    }
  });

  test("a bot receives no bots, and there are no embedded ones", async () => {
    const realm = await newRealm();
    const bot = await newBot(realm.admin);
    success(await realm.admin.call(updateBot, { bot_id: bot.id, role: 200 }));

    const { state } = await bot.register([], ["realm_bot", "realm_embedded_bots"]);

    expect(state).toMatchObject({ realm_bots: [], realm_embedded_bots: [] });
  });
});

test("a key encrypted with another secret is not shown, and can be regenerated", async () => {
  const realm = await newRealm();
  const bot = await newBot(realm.admin);
  await realm.ctx.db
    .updateTable("bots")
    .set({ sealed_api_key: "v1.of-another-secret-which-nobody-has-any-more" })
    .where("user_id", "=", bot.id)
    .execute();

  expect(success(await realm.admin.call(getBots, {})).bots[0]?.api_key).toBe("");
  const { api_key } = success(await realm.admin.call(regenerateBotApiKey, { bot_id: bot.id }));
  expect(success(await realm.admin.call(getBots, {})).bots[0]?.api_key).toBe(api_key);
});
