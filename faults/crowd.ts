/** Clients that read events and register again when their queue expires; more join while a history is replaced. */
import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../server/src/platform/db/connect.ts";
import { readEpoch, readEpochs } from "./evidence.ts";
import type { Organization } from "./organization.ts";
import { PersistentReader } from "./persistent-reader.ts";
import type { Random } from "./random.ts";
import { newTally, type Reader, type Tally } from "./readers.ts";

/** Longer than the relay needs to compare the database with the stream. */
const newcomers = 60;
const newcomerMilliseconds = 100;
const patienceMilliseconds = 60_000;

export class Crowd {
  readonly #organization: Organization;
  readonly #random: Random;
  readonly clients: PersistentReader[] = [];

  constructor(organization: Organization, random: Random) {
    this.#organization = organization;
    this.#random = random;
  }

  /** Starts one client for each member. */
  async start(): Promise<void> {
    await Promise.all(this.#organization.members.map(() => this.#add()));
  }

  /** Adds clients one by one. Returns when each has a queue. */
  async grow(): Promise<void> {
    const starting: Promise<void>[] = [];
    for (let come = 0; come < newcomers; come++) {
      await delay(newcomerMilliseconds);
      starting.push(this.#add());
    }
    await Promise.all(starting);
  }

  async #add(): Promise<void> {
    const { members, owner } = this.#organization;
    const index = this.clients.length;
    const member = members[index % members.length] ?? owner;
    // Each queue has its own tally: in another history the same id is another message.
    const client = new PersistentReader(`client ${index + 1} (${member.name})`, member, index, this.#random, newTally);
    this.clients.push(client);
    await client.start();
  }

  get queues(): Reader[] {
    return this.clients.flatMap(({ queues }) => queues);
  }

  /** Returns when each client has a queue of the newest epoch, which must be later than `before`. */
  async untilRegistered(db: Db, before: number | undefined): Promise<void> {
    const deadline = performance.now() + patienceMilliseconds;
    const areAll = async () => {
      const epoch = await readEpoch(db);
      if (before !== undefined && epoch <= before) return false;
      const ids = this.clients.flatMap(({ current }) => current?.queueId ?? []);
      const epochs = await readEpochs(db, ids);
      return ids.length === this.clients.length && ids.every((id) => epochs.get(id) === epoch);
    };
    // The verdict reports clients that never get one.
    while (!(await areAll()) && performance.now() < deadline) await delay(50);
  }

  /** When the last of the original clients got its newest queue. */
  get newestRegistration(): number {
    const first = this.clients.slice(0, this.#organization.members.length);
    return Math.max(...first.map(({ current }) => current?.registeredAt ?? 0));
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.stop()));
  }

  sum(): Tally {
    const sum = newTally();
    for (const { name, tally } of this.queues) {
      sum.events += tally.events;
      sum.failedReads += tally.failedReads;
      sum.stuckReads += tally.stuckReads;
      sum.garbled.push(...tally.garbled.map((text) => `${name}: ${text}`));
      sum.worstDelayMilliseconds = Math.max(sum.worstDelayMilliseconds, tally.worstDelayMilliseconds);
    }
    return sum;
  }
}
