/** Tests who may do what in each kind of channel, through the endpoints and from one table. */
import { getChannel, updateChannel } from "@skein/api/channels.ts";
import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { getTopics } from "@skein/api/topics.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { only } from "../../../test/groups.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../test/realm.ts";
import { channelOf, sendToChannel, type TestChannel } from "../../../test/actions.ts";

const kinds = {
  "web-public": { is_web_public: true },
  public: {},
  "private, with shared history": { invite_only: true, history_public_to_subscribers: true },
  "private, with protected history": { invite_only: true },
};
type Kind = keyof typeof kinds;

/**
 * The callers: a role, subscribed ("in") or not ("out"), or a user listed in a permission of the channel. The guest listed
 * in all of them gains nothing, except from permissions that can be set to everyone.
 */
const callers = {
  "owner in": 100,
  "owner out": 100,
  "administrator in": 200,
  "administrator out": 200,
  "moderator in": 300,
  "moderator out": 300,
  "member in": 400,
  "member out": 400,
  "guest in": 600,
  "guest out": 600,
  "guest named": 600,
  adder: 400,
  joiner: 400,
  manager: 400,
  "remover in": 400,
  "remover out": 400,
} as const;
type Asker = keyof typeof callers;
// Object.keys knows only strings; these are the keys of the table above.
const callerNames = Object.keys(callers) as Asker[];

interface Scene {
  realm: TestRealm;
  channel: TestChannel;
  /** Sent after all subscribers had joined. */
  message: number;
  /** A user to add and remove. */
  spare: TestUser;
  people: Record<Asker, TestUser>;
}

/** Before this action the organization stops letting anybody add subscribers. */
const withoutPermission = "add others without the organization's permission";

/** The actions, tried in this order: the last one subscribes the callers who may join. */
const actions: Record<string, (user: TestUser, scene: Scene, turn: number) => Promise<{ result: string }>> = {
  metadata: (user, { channel }) => user.call(getChannel, { stream_id: channel.id }),
  content: (user, { channel }) => user.call(getTopics, { stream_id: channel.id }),
  history: (user, { message }) => user.call(getMessage, { message_id: message }),
  send: (user, { channel }) =>
    user.call(sendMessage, { type: "stream", to: channel.id, topic: "talk", content: "words" }),
  administer: (user, { channel }, turn) =>
    user.call(updateChannel, { stream_id: channel.id, description: `changed ${turn} times` }),
  "set who may join": (user, { channel, people, spare }, turn) => {
    const other = turn % 2 === 0 ? people.adder : spare;
    const can_subscribe_group = { new: only(people.joiner, people["guest named"], other) };
    return user.call(updateChannel, { stream_id: channel.id, can_subscribe_group });
  },
  "remove others": (user, { channel, spare }) =>
    user.call(unsubscribe, { subscriptions: [channel.name], principals: [spare.id] }),
  "add others": (user, { channel, spare }) =>
    user.call(subscribe, { subscriptions: [{ name: channel.name }], principals: [spare.id] }),
  [withoutPermission]: (user, { channel, spare }) =>
    user.call(subscribe, { subscriptions: [{ name: channel.name }], principals: [spare.id] }),
  join: (user, { channel }) => user.call(subscribe, { subscriptions: [{ name: channel.name }] }),
};

const everybody = callerNames;
const members = callerNames.filter((name) => !name.startsWith("guest"));
const inside = callerNames.filter((name) => name.endsWith(" in"));
const membersInside = inside.filter((name) => name !== "guest in");
const chiefs: Asker[] = ["owner in", "owner out", "administrator in", "administrator out"];
const chiefsInside: Asker[] = ["owner in", "administrator in"];
const opened: Asker[] = ["adder", "joiner"];

const open = {
  metadata: [...members, "guest in"],
  content: [...members, "guest in"],
  history: [...members, "guest in"],
  send: [...members, "guest in"],
  administer: [...chiefs, "manager"],
  "set who may join": [...chiefs, "manager"],
  "remove others": [...chiefs, "manager", "remover in", "remover out"],
  "add others": members,
  [withoutPermission]: [...chiefs, "manager", "adder"],
  join: members,
};
const closed = {
  metadata: [...inside, "owner out", "administrator out", ...opened, "manager"],
  content: [...inside, ...opened],
  history: [...inside, ...opened],
  send: [...inside, ...opened],
  administer: [...chiefs, "manager"],
  "set who may join": chiefsInside,
  "remove others": [...chiefs, "manager", "remover in"],
  "add others": [...membersInside, ...opened],
  [withoutPermission]: [...chiefsInside, "adder"],
  join: [...membersInside, ...opened],
};
const allowed: Record<Kind, Record<string, readonly string[]>> = {
  "web-public": { ...open, metadata: everybody, content: everybody, history: everybody, send: everybody },
  public: open,
  "private, with shared history": closed,
  "private, with protected history": { ...closed, history: inside, send: inside },
};

async function setScene(kind: Kind): Promise<Scene> {
  const realm = await newRealm();
  await realm.ctx.db.updateTable("realms").set({ enable_spectator_access: true }).where("id", "=", realm.id).execute();
  const made: [string, TestUser][] = [];
  for (const name of callerNames) made.push([name, await realm.user(name, { role: callers[name] })]);
  const people = Object.fromEntries(made) as Scene["people"]; // one for each name
  const spare = await realm.user("spare");
  const maker = people["owner in"];
  const guest = people["guest named"];
  success(
    await maker.call(subscribe, {
      subscriptions: [{ name: "elsinore" }],
      principals: inside.map((name) => people[name].id),
      can_add_subscribers_group: only(people.adder, guest),
      can_subscribe_group: only(people.joiner, guest),
      can_administer_channel_group: only(people.manager, guest),
      can_remove_subscribers_group: only(people["remover in"], people["remover out"], guest),
      ...kinds[kind],
    }),
  );
  const channel = { ...(await channelOf([maker], "elsinore")), name: "elsinore" };
  return { realm, channel, message: await sendToChannel(maker, channel), spare, people };
}

async function letNobodyAdd(realm: TestRealm): Promise<void> {
  await sql`
    update realms set can_add_subscribers_group_id = (
      select id from user_groups where realm_id = realms.id and name = 'role:nobody')
    where id = ${realm.id}`.execute(realm.ctx.db);
}

// spec 2.2: invite_only, is_web_public, history_public_to_subscribers, can_add_subscribers_group, can_remove_subscribers_group, can_administer_channel_group, can_subscribe_group
test.for(Object.keys(kinds) as Kind[])("who may do what in a %s channel", async (kind) => {
  const scene = await setScene(kind);
  const found: Record<string, string[]> = {};

  for (const [action, attempt] of Object.entries(actions)) {
    if (action === withoutPermission) await letNobodyAdd(scene.realm);
    found[action] = [];
    for (const [turn, name] of callerNames.entries()) {
      const { result } = await attempt(scene.people[name], scene, turn);
      if (result === "success") found[action].push(name);
    }
  }

  const sorted = (lists: Record<string, readonly string[]>) =>
    Object.fromEntries(Object.entries(lists).map(([action, list]) => [action, list.toSorted()]));
  expect(sorted(found)).toEqual(sorted(allowed[kind]));
});

// spec 2.2: can_send_message_group
test.for(Object.keys(kinds) as Kind[])(
  "the permission to post in a %s channel does not help users who cannot read it",
  async (kind) => {
    const scene = await setScene(kind);
    const { channel, people } = scene;
    const writers = [people["member in"], people["member out"], people["guest in"], people["guest out"]];
    success(
      await people.manager.call(updateChannel, {
        stream_id: channel.id,
        can_send_message_group: { new: only(...writers) },
      }),
    );

    const sent: string[] = [];
    for (const name of callerNames) {
      const { result } = await people[name].call(sendMessage, {
        type: "stream",
        to: channel.id,
        topic: "talk",
        content: "words",
      });
      if (result === "success") sent.push(name);
    }

    const isOpen = !kind.startsWith("private");
    const outside = isOpen ? (kind === "public" ? ["member out"] : ["member out", "guest out"]) : [];
    expect(sent.toSorted()).toEqual(["member in", "guest in", ...outside].toSorted());
  },
);

test("a bot may join where its owner may, as long as the owner is active", async () => {
  const realm = await newRealm();
  const [hamlet, bot, orphan] = [await realm.user("hamlet"), await realm.user("bot"), await realm.user("orphan")];
  await sql`update users set is_bot = true, bot_type = 1 where id in (${bot.id}, ${orphan.id})`.execute(realm.ctx.db);
  await sql`update users set bot_owner_id = ${hamlet.id} where id = ${bot.id}`.execute(realm.ctx.db);
  await channelOf([hamlet], "closet", { isPrivate: true });
  await channelOf([hamlet], "cupboard", { isPrivate: true });
  await channelOf([realm.admin], "vault", { isPrivate: true });
  const join = async (user: TestUser, name: string) => (await user.call(subscribe, { subscriptions: [{ name }] })).msg;

  expect(await join(bot, "closet")).toBe("");
  expect(await join(bot, "vault")).toBe("Unable to access channel (vault).");
  expect(await join(orphan, "closet")).toBe("Unable to access channel (closet).");
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", hamlet.id).execute();
  expect(await join(bot, "cupboard")).toBe("Unable to access channel (cupboard).");
});
