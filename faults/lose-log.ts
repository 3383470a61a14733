/**
 * The log holds nothing that PostgreSQL does not. This scenario destroys it under load, first the stream's files, then the
 * replication slot: queues expire, their clients register again and miss nothing afterwards, and no message is lost.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { killNats, startNats } from "../server/src/platform/engines/nats.ts";
import { otherFindings } from "./conclude.ts";
import { openWitness, readExpected, readStored } from "./evidence.ts";
import { makeOrganization } from "./organization.ts";
import { PersistentReader } from "./persistent-reader.ts";
import { Random } from "./random.ts";
import { newTally } from "./readers.ts";
import type { Say } from "./report.ts";
import { sendMarkers, Senders } from "./senders.ts";
import { judge, type QueueHistory } from "./verdict.ts";
import type { World } from "./world.ts";

const clients = 20;
const betweenMilliseconds = 6000;
const settleMilliseconds = 60_000;

export interface LossResult {
  seed: number;
  acknowledged: number;
  refused: number;
  unknown: number;
  clients: number;
  /** For each loss, how long until the last client had a queue again. */
  registered_again_milliseconds: number[];
  findings: { rule: string; about: string; text: string }[];
}

export async function runLosingLog(world: World, { seed }: { seed: number }, say: Say): Promise<LossResult> {
  const random = new Random(seed);
  const organization = await makeOrganization(world, random, { members: clients, channels: 6 });
  await openWitness(world.db);
  const tally = newTally();
  const readers = organization.members.map(
    (member, index) => new PersistentReader(member.name, member, index, random, () => tally),
  );
  await Promise.all(readers.map((reader) => reader.start()));
  const senders = new Senders(organization, random.fork(), { senders: 10, rate: 100 });
  senders.start();
  await delay(betweenMilliseconds);

  const times: number[] = [];
  for (const [index, loss] of [loseFiles, loseSlot].entries()) {
    const begun = performance.now();
    say(await loss(world));
    const hasNew = (reader: PersistentReader) =>
      reader.queues.length >= index + 2 && reader.current?.queueId !== undefined;
    while (!readers.every(hasNew) && performance.now() - begun < settleMilliseconds) await delay(20);
    times.push(Math.round(performance.now() - begun));
    say(`${readers.filter(hasNew).length} of ${clients} clients have a queue again after ${times.at(-1)} ms`);
    await delay(betweenMilliseconds);
  }

  await senders.stop();
  const markers = await sendMarkers(organization);
  const own = new Map(organization.members.map(({ name }, index) => [`marker of ${name}`, readers[index]]));
  const deadline = performance.now() + settleMilliseconds;
  for (const { id, text } of markers) {
    const reader = own.get(text)?.current;
    // A queue that is narrowed to a channel gets no direct messages.
    if (!reader || reader.kind.narrow !== undefined) continue;
    while (!reader.deliveries.some(({ messageId }) => messageId === id) && performance.now() < deadline)
      await delay(20);
  }
  await Promise.all(readers.map((reader) => reader.stop()));

  const queues: QueueHistory[] = [];
  for (const { queues: all } of readers)
    for (const [index, reader] of all.entries()) {
      const { name, deliveries, queueId = "00000000-0000-0000-0000-000000000000" } = reader;
      const expected = await readExpected(world.db, queueId, reader.kind);
      const isTooMany = index > 2 ? ["it expired more often than the log was lost"] : [];
      queues.push({ name, deliveries, expected, isExpired: index < all.length - 1, complaints: isTooMany });
    }
  const findings = judge({
    stored: await readStored(world.db),
    acknowledged: [...senders.acknowledged, ...markers],
    deliveredTexts: tally.texts,
    queues,
  });
  const unexpired = readers.filter(({ queues: all }) => all.length < 3).length;
  return {
    seed,
    acknowledged: senders.acknowledged.length,
    refused: senders.refused,
    unknown: senders.unknown,
    clients,
    registered_again_milliseconds: times,
    findings: [
      ...findings,
      ...otherFindings(world, tally),
      ...(unexpired > 0 ? [{ rule: "a lost log expires queues", about: "queues", text: `${unexpired} went on` }] : []),
    ],
  };
}

async function loseFiles({ dir, engines }: World): Promise<string> {
  await killNats(dir);
  await rm(join(dir, "nats", "jetstream"), { recursive: true });
  await startNats(dir, { port: engines.nats.port });
  return "the stream's files are gone";
}

/** The relay reacquires the slot quickly, so dropping it takes a few attempts. */
async function loseSlot({ db }: World): Promise<string> {
  for (;;) {
    try {
      await sql`select pg_terminate_backend(active_pid) from pg_replication_slots
        where slot_name = 'skein_relay' and active_pid is not null`.execute(db);
      await sql`select pg_drop_replication_slot('skein_relay')`.execute(db);
      return "the replication slot is gone";
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "55006")) throw error; // still in use
      await delay(5);
    }
  }
}
