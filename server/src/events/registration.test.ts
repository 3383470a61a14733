/**
 * Registration is an exact snapshot: its state plus the queue's events equals the state of a new registration, whatever
 * commits in between. `REGISTRATIONS=2000` runs for longer.
 */
import { isDeepStrictEqual } from "node:util";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { createUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestQueue, type TestRealm, type TestUser } from "../../test/realm.ts";

const registrations = Number(process.env["REGISTRATIONS"] ?? 480);
/** Every queue receives all events until its round is over, so short rounds cost less. */
const perRound = 80;
const atOnce = 40;
const writers = 20;

const fetched = [
  "default_streams",
  "message",
  "realm_user",
  "realm_user_groups",
  "recent_private_conversations",
  "starred_messages",
  "stream",
  "subscription",
  "update_message_flags",
];
const followed = ["message", "realm_user", "stream", "subscription", "update_message_flags", "user_group"] as const;

const follow = (user: TestUser) => user.register([...followed], fetched, { include_subscribers: true });

/** A small, fast generator: the same seed gives the same numbers. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Writer {
  readonly #realm: TestRealm;
  readonly #people: TestUser[];
  readonly #random: () => number;
  readonly #messages: number[] = [];
  #made = 0;

  constructor(realm: TestRealm, people: TestUser[], random: () => number) {
    this.#realm = realm;
    this.#people = people;
    this.#random = random;
  }

  async writeUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#write();
  }

  #pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  async #write(): Promise<void> {
    const actor = this.#pick(this.#people);
    const choice = this.#random();
    if (choice < 0.02) await this.#createUser();
    else if (choice < 0.15) await this.#subscribe(actor, `made ${Math.floor(this.#random() * 30)}`);
    else if (choice < 0.3) await actor.call(unsubscribe, { subscriptions: [this.#channel()] });
    else if (choice < 0.4) await this.#subscribe(actor, this.#channel());
    else if (choice < 0.7) await this.#send(actor, { type: "channel", to: this.#channel(), topic: this.#topic() });
    else if (choice < 0.8) await this.#send(actor, { type: "direct", to: [this.#pick(this.#people).id] });
    else await this.#flag(actor);
  }

  #channel = () => `room ${Math.floor(this.#random() * 4)}`;
  #topic = () => `topic ${Math.floor(this.#random() * 3)}`;

  async #createUser(): Promise<void> {
    const email = `made-${this.#made++}-${Math.floor(this.#random() * 1e9)}@example.com`;
    success(
      await this.#realm.admin.call(createUser, { email, password: "Basalt-and-tide-7", full_name: "Made Later" }),
    );
  }

  async #subscribe(actor: TestUser, name: string): Promise<void> {
    const principals = this.#random() < 0.5 ? [actor.id] : [actor.id, this.#pick(this.#people).id];
    success(await actor.call(subscribe, { subscriptions: [{ name }], principals }));
  }

  async #send(actor: TestUser, to: { type: "channel"; to: string; topic: string } | { type: "direct"; to: number[] }) {
    const read_by_sender = this.#random() < 0.5;
    const { id } = success(await actor.call(sendMessage, { ...to, content: "words", read_by_sender }));
    this.#messages.push(id);
  }

  async #flag(actor: TestUser): Promise<void> {
    if (this.#messages.length === 0) return;
    const messages = Array.from({ length: 5 }, () => this.#pick(this.#messages));
    const flag = this.#random() < 0.8 ? "read" : "starred";
    // An error is fine: not everyone may star every message.
    await actor.call(updateMessageFlags, {
      messages: [...new Set(messages)],
      op: this.#random() < 0.6 ? "add" : "remove",
      flag,
    });
  }
}

/** Waits until the jobs that post notices about subscriptions have finished; each deletes its row. */
async function noticesAreSent(realm: TestRealm): Promise<void> {
  const isOpen = () =>
    realm.ctx.db.selectFrom("subscription_notices").select("id").where("realm_id", "=", realm.id).executeTakeFirst();
  while (await isOpen()) await new Promise((resume) => setTimeout(resume, 20));
}

/** People register in an organization while others write; then every registration is compared with a new one. */
async function compareInBusyRealm(seed: number): Promise<string[]> {
  const random = seededRandom(seed);
  const realm = await newRealm();
  const people = await Promise.all(Array.from({ length: 8 }, (_, n) => realm.user(`person ${n}`)));
  for (const name of ["room 0", "room 1", "room 2", "room 3"])
    success(await realm.admin.call(subscribe, { subscriptions: [{ name }], principals: people.map(({ id }) => id) }));

  let isOver = false;
  const writing = Array.from({ length: writers }, () => new Writer(realm, people, random).writeUntil(() => isOver));
  const queues: { user: TestUser; queue: TestQueue }[] = [];
  while (queues.length < perRound) {
    const users = Array.from({ length: atOnce }, () => people[Math.floor(random() * people.length)]).filter(
      (user) => user !== undefined,
    );
    queues.push(...(await Promise.all(users.map(async (user) => ({ user, queue: await follow(user) })))));
  }
  isOver = true;
  await Promise.all(writing);
  await noticesAreSent(realm);

  const ends = new Map<number, { lastMessageId: number; state: TestQueue["state"] }>();
  for (const user of people) {
    const mark = success(await realm.admin.call(sendMessage, { type: "direct", to: [user.id], content: "the end" }));
    ends.set(user.id, { lastMessageId: mark.id, state: (await follow(user)).state });
  }
  const differences: string[] = [];
  for (const { user, queue } of queues) {
    const end = ends.get(user.id);
    const state = await queue.followedState(end?.lastMessageId ?? 0);
    if (isDeepStrictEqual(state, end?.state)) continue;
    try {
      expect(state).toEqual(end?.state);
    } catch (error) {
      differences.push(`seed ${seed}, user ${user.id}: ${(error as Error).message}`);
    }
  }
  return differences;
}

test(
  `${registrations} registrations among ${writers} writers on two nodes are exact`,
  { timeout: 120_000 + registrations * 300 },
  async () => {
    const differences: string[] = [];

    for (let round = 0; round < registrations / perRound; round++)
      differences.push(...(await compareInBusyRealm(round + 1)));

    expect(differences).toEqual([]);
  },
);
