/**
 * Replaces a database's history with another one while clients send and read: a restore, a failover, a copied slot. NATS
 * keeps the stream of the old history. Afterwards every accepted message is stored and delivered once, in order; clients
 * that register later never get events about messages that do not exist; queues of the abandoned history expire. The
 * abandoned history is checked as well, against its own database.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../server/src/platform/db/connect.ts";
import { freePort } from "../server/src/platform/engines/free-port.ts";
import { startPostgres, stopPostgres } from "../server/src/platform/engines/postgres.ts";
import { otherFindings, settle } from "./conclude.ts";
import { Crowd } from "./crowd.ts";
import { openWitness, readEpoch, readEpochs, readExpected, readMessages, readStored } from "./evidence.ts";
import { makeOrganization } from "./organization.ts";
import { Random } from "./random.ts";
import type { Reader } from "./readers.ts";
import { inDatabase, type Replacement } from "./replacements.ts";
import type { Say } from "./report.ts";
import { sendMarkers, Senders, sentAt } from "./senders.ts";
import { judgeReplaced, type Evidence, type Registered, type TimedMessage } from "./two-histories.ts";
import type { World } from "./world.ts";

const members = 20;
const load = { senders: 10, rate: 100 };
const phaseMilliseconds = 5000;

export interface ReplacementResult {
  history: string;
  seed: number;
  acknowledged: number;
  /** Messages acknowledged before that the new history does not have. */
  lost: number;
  /** Messages acknowledged before that the new history has, too. */
  survived: number;
  acknowledged_afterwards: number;
  refused: number;
  unknown: number;
  queues: number;
  deliveries: number;
  failed_reads: number;
  away_milliseconds: number;
  /** The time from the database's return until the last earlier client had a lasting queue. */
  registered_again_milliseconds: number;
  epochs: string;
  /** The relay's logged reason for a new epoch. */
  reason: string;
  findings: { rule: string; about: string; text: string }[];
}

export async function runReplacingHistory(
  world: World,
  { name, seed, replacement }: { name: string; seed: number; replacement: Replacement },
  say: Say,
): Promise<ReplacementResult> {
  const { summary, isWhole, continues } = replacement;
  const random = new Random(seed);
  const organization = await makeOrganization(world, random, { members, channels: 6 });
  await replacement.setUp?.(world);
  await openWitness(world.db);
  const crowd = new Crowd(organization, random);
  await crowd.start();
  const senders = new Senders(organization, random.fork(), load);
  senders.start();
  await delay(phaseMilliseconds);
  await replacement.prepare(world);
  await delay(phaseMilliseconds);
  const epochBefore = await readEpoch(world.db);
  say(`${senders.acknowledged.length} acknowledged; now ${summary}`);

  const arriving = crowd.grow();
  const goneAt = Date.now();
  const abandonedDir = await replacement.replace(world);
  const thereAt = Date.now();
  say(`the database is there after ${thereAt - goneAt} ms`);
  await arriving;
  await crowd.untilRegistered(world.db, continues === false ? epochBefore : undefined);
  const registeredAgain = Math.max(0, crowd.newestRegistration - thereAt);
  say(`all who had a queue before have one after ${registeredAgain} ms more`);
  await delay(phaseMilliseconds);

  await senders.stop();
  await world.ready();
  say("sending ends, reading on …");
  const markersSentAt = Date.now();
  const markers = await sendMarkers(organization);
  await settle(
    crowd.clients.flatMap(({ current }) => current ?? []),
    markers.map(({ id }) => id),
    world,
  );
  await crowd.stop();

  say("comparing …");
  const acknowledged: TimedMessage[] = [
    ...senders.acknowledged.map((message, index) => ({
      ...message,
      sentAt: sentAt(message.text) ?? 0,
      acknowledgedAt: performance.timeOrigin + (senders.acknowledgedAt[index] ?? 0),
    })),
    ...markers.map((message) => ({ ...message, sentAt: markersSentAt, acknowledgedAt: Date.now() })),
  ];
  const current = await investigate(world.db, crowd);
  const abandoned = abandonedDir === undefined ? current : await investigateAbandoned(abandonedDir, crowd);
  const epochAfter = await readEpoch(world.db);
  const queues = crowd.queues.map((reader) => ({
    name: reader.name,
    deliveries: reader.deliveries,
    texts: reader.tally.texts,
    isExpired: reader.isExpired,
    abandoned: abandoned.queues.get(reader),
    current: current.queues.get(reader),
  }));
  const tally = crowd.sum();
  return {
    history: name,
    seed,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ id, text }) => current.messages.get(id) !== text).length,
    survived: acknowledged.filter(
      (message) => message.acknowledgedAt < goneAt && current.messages.get(message.id) === message.text,
    ).length,
    acknowledged_afterwards: acknowledged.filter((message) => message.sentAt > thereAt).length,
    refused: senders.refused,
    unknown: senders.unknown,
    queues: queues.length,
    deliveries: tally.events,
    failed_reads: tally.failedReads,
    away_milliseconds: thereAt - goneAt,
    registered_again_milliseconds: registeredAgain,
    epochs: epochBefore === epochAfter ? String(epochBefore) : `${epochBefore}, then ${epochAfter}`,
    reason: (await relayReasons(world)).join("; ") || "none",
    findings: [
      ...judgeReplaced({
        abandoned,
        current,
        goneAt,
        thereAt,
        isWhole,
        continues,
        epochBefore,
        epochAfter,
        acknowledged,
        queues,
      }),
      ...judgeSurvivors(acknowledged, current, replacement.keptUntil?.()),
      ...otherFindings(world, tally),
    ],
  };
}

/** A restore to a point in time has to bring back everything that was acknowledged before it. */
function judgeSurvivors(acknowledged: readonly TimedMessage[], { messages }: Evidence, keptUntil = 0) {
  return acknowledged
    .filter(({ acknowledgedAt }) => acknowledgedAt < keptUntil)
    .filter(({ id, text }) => messages.get(id) !== text)
    .map(({ id, text }) => ({
      rule: "stored once",
      about: "messages",
      text: `message ${id} was acknowledged before the point in time, but is not in the restored database: ${text}`,
    }));
}

type Investigation = Evidence & { queues: Map<Reader, Registered> };

async function investigate(db: Db, crowd: Crowd): Promise<Investigation> {
  const epochs = await readEpochs(
    db,
    crowd.queues.flatMap(({ queueId }) => queueId ?? []),
  );
  const queues = new Map<Reader, Registered>();
  for (const reader of crowd.queues) {
    const epoch = reader.queueId === undefined ? undefined : epochs.get(reader.queueId);
    if (reader.queueId === undefined || epoch === undefined) continue;
    queues.set(reader, { epoch, expected: await readExpected(db, reader.queueId, reader.kind) });
  }
  return { stored: await readStored(db), messages: await readMessages(db), queues };
}

/** Starts the abandoned cluster again, where no server connects to it. */
async function investigateAbandoned(dir: string, crowd: Crowd): Promise<Investigation> {
  const { url } = await startPostgres(dir, { port: await freePort() });
  try {
    return await inDatabase(url, (db) => investigate(db, crowd));
  } finally {
    await stopPostgres(dir);
  }
}

/** The logged reasons for new epochs, except the first. */
async function relayReasons({ dir }: World): Promise<string[]> {
  const reasons: string[] = [];
  for (const name of ["relay-1", "relay-2"]) {
    const log = await readFile(join(dir, `${name}.log`), "utf8");
    for (const [, reason = ""] of log.matchAll(
      /"level":"(?:warn|error)".*"(?:a new epoch of the event log begins|the event log needs a new epoch): ([^"]*)"/g,
    ))
      reasons.push(reason);
  }
  return reasons;
}
