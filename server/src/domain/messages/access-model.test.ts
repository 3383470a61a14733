/**
 * Nobody sees what they may not: random organizations, and for every user in them and every message, what can be reached
 * in any way is what the plain rule says. ACCESS_ORGANIZATIONS=20000 runs for longer, ACCESS_SEED=… sees a run again.
 */
import { isDeepStrictEqual } from "node:util";
import { newestAnchor } from "@skein/api/fetch-messages.ts";
import type { Narrow } from "@skein/api/narrow.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { addReaction } from "@skein/api/reactions.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { AccessWorld, word } from "../../../test/access-world.ts";
import { Dice } from "../../../test/dice.ts";
import { nodes } from "../../../test/nodes.ts";
import { success, TestRealm, TestUser } from "../../../test/realm.ts";
import { ApiError } from "../../errors.ts";
import type { Context } from "../../context.ts";
import type { User } from "../../http/sessions.ts";
import { createApiKey } from "../auth/api-keys.ts";
import { updateFlags } from "../flags/actions.ts";
import { listReaders } from "../read-receipts/queries.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { fetchMessage } from "./fetch.ts";
import { fetchListed, fetchRange } from "./fetch-page.ts";

const organizations = Number(process.env["ACCESS_ORGANIZATIONS"] ?? 500);
const seed = Number(process.env["ACCESS_SEED"] ?? Date.now() % 2 ** 31);
const atOnce = 4;

const form = { apply_markdown: false, client_gravatar: true, empty_topic_name: true };
const newest = { anchor: newestAnchor, before: 1000, after: 0, isAnchorIn: false };

/** Undefined when it is refused. */
async function unlessRefused<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

async function found(ctx: Context, user: User, narrow: Narrow): Promise<number[] | undefined> {
  const page = await unlessRefused(fetchRange(ctx, user, narrow, newest, form));
  return page?.messages.map(({ id }) => id);
}

/** A way to messages by which something else came than should have. */
interface Difference {
  way: string;
  user: number;
  came: unknown;
  expected: unknown;
}

class Comparison {
  readonly differences: Difference[] = [];

  add(way: string, user: User, came: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(came, expected)) this.differences.push({ way, user: user.id, came, expected });
  }
}

async function compare(ctx: Context, world: AccessWorld, dice: Dice): Promise<Difference[]> {
  const comparison = new Comparison();
  const ids = (messages: AccessWorld["messages"]) => messages.map(({ id }) => id);
  for (const user of world.users) {
    const same = (way: string, came: unknown, expected: unknown) => comparison.add(way, user, came, expected);
    const readable = world.messages.filter((message) => world.canRead(user, message));
    const own = readable.filter((message) => world.wasSent(user, message));

    const listed = await fetchListed(ctx, user, [], ids(world.messages), form);
    same("by id", ids(world.messages.filter(({ id }) => listed.some((message) => message.id === id))), ids(readable));
    const sent = listed.filter(({ flags }) => !flags.includes("historical"));
    same(
      "not historical",
      sent.map(({ id }) => id),
      ids(own),
    );
    if (dice.chance(0.6)) same("combined feed", await found(ctx, user, []), ids(own));
    if (dice.chance(0.4)) same("search", await found(ctx, user, [["search", word]]), ids(own));
    const inPublic = readable.filter(({ place }) => "channel" in place && !place.channel.invite_only);
    if (dice.chance(0.4)) same("public channels", await found(ctx, user, [["channels", "public"]]), ids(inPublic));
    const place = dice.pick(world.channels);
    const inPlace = readable.filter((message) => message.place === place);
    const narrow: Narrow = [["channel", place.channel.name]];
    if (dice.chance(0.6))
      same("channel", await found(ctx, user, narrow), world.isKnown(user, place) ? ids(inPlace) : undefined);

    for (const message of world.messages.filter(() => dice.chance(0.3))) {
      const { id } = message;
      const ifReadable = <T>(value: T) => (readable.includes(message) ? value : undefined);
      same("message", (await unlessRefused(fetchMessage(ctx, user, id, form)))?.message.id, ifReadable(id));
      const starred = await unlessRefused(updateFlags(ctx.db, user, { op: "add", flag: "starred" }, [id]));
      same("star", starred?.changed, ifReadable([id]));
      const readers = await unlessRefused(listReaders(ctx.db, user, id));
      same("read receipts", readers, ifReadable(world.readersOf(message)));
    }
  }
  return comparison.differences;
}

test(`what can be reached is what the rule says (seed ${seed})`, { timeout: organizations * 1000 }, async () => {
  const [{ ctx }] = await nodes();
  let next = 0;
  const work = async () => {
    while (next < organizations) {
      const number = next++;
      const dice = new Dice(seed + number);
      const differences = await compare(ctx, await AccessWorld.make(ctx, dice), dice);
      expect(differences, `organization ${number}`).toEqual([]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
});

/** The people of a random organization as clients of the server. */
async function clientsOf(world: AccessWorld): Promise<Map<User, TestUser>> {
  const servers = await nodes();
  const { ctx } = servers[0];
  const clients = new Map<User, TestUser>();
  for (const user of world.users) {
    const realm = new TestRealm(user.realm_id, user.realm.host ?? "", servers);
    const key = await transaction(ctx.db, "make a test key", (tx) => createApiKey(tx, user, "test"));
    clients.set(user, new TestUser(realm, user.id, user.delivery_email, user.full_name, key));
  }
  return clients;
}

test(`what is told is what may be read (seed ${seed})`, { timeout: organizations * 1000 }, async () => {
  const [{ ctx }] = await nodes();
  for (let number = 0; number < organizations / 50; number++) {
    const dice = new Dice(seed + number);
    const world = await AccessWorld.make(ctx, dice);
    const [{ realm_id }] = world.users as [User]; // there is somebody
    await sql`update channels set can_send_message_group_id = (
      select id from user_groups where realm_id = ${realm_id} and name = 'role:everyone')
      where realm_id = ${realm_id}`.execute(ctx.db);
    const clients = await clientsOf(world);
    const queues = new Map<User, Awaited<ReturnType<TestUser["register"]>>>();
    for (const [user, client] of clients) queues.set(user, await client.register(["message", "reaction"]));
    const clientOf = (user: User | undefined) => user && clients.get(user);

    const expected = new Map<User, number[]>(world.users.map((user) => [user, []]));
    for (const place of world.channels) {
      const subscribers = world.users.filter((user) => world.isSubscribed(user, place));
      const to = { type: "channel", to: place.channel.id, topic: "talk", content: word } as const;
      const sent = await clientOf(subscribers[0])?.call(sendMessage, to);
      if (sent) for (const user of subscribers) expected.get(user)?.push(success(sent).id);
    }
    for (const message of world.messages) {
      const reader = clientOf(world.users.find((user) => world.canRead(user, message)));
      await reader?.call(addReaction, { message_id: message.id, emoji_name: "tada" });
    }
    const comparison = new Comparison();
    for (const [user, client] of clients) {
      const note = success(await client.call(sendMessage, { type: "direct", to: [user.id], content: "the end" })).id;
      const heard: number[] = [];
      const reactedTo: number[] = [];
      while (heard.at(-1) !== note) {
        const event = await queues.get(user)?.next();
        if (event?.type === "message") heard.push(event.message.id);
        if (event?.type === "reaction") reactedTo.push(event.message_id);
      }
      comparison.add("messages", user, heard, [...(expected.get(user) ?? []), note]);
      const forbidden = world.messages
        .filter(({ id }) => reactedTo.includes(id))
        .filter((message) => !world.canRead(user, message));
      comparison.add(
        "reactions",
        user,
        forbidden.map(({ id }) => id),
        [],
      );
    }
    expect(comparison.differences, `organization ${number}`).toEqual([]);
  }
});
