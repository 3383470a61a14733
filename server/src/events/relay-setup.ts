/** Makes sure that stream, replication slot and database exist and belong together; if not, begins a new epoch of the log. */
import { sql } from "kysely";
import type { Config } from "../config.ts";
import { lockKeys } from "../platform/db/advisory-locks.ts";
import type { Db } from "../platform/db/connect.ts";
import type { Logger } from "../platform/log.ts";
import { readHead } from "./log-entry.ts";
import type { Metrics } from "../platform/metrics.ts";
import { readLsn, readPosition, writeLsn } from "./log-format.ts";
import { findMismatch, readHistory, type DatabaseHistory, type LogRecord, type NewestEntry } from "./log-history.ts";
import { createSlot, dropSlot, makeFailoverSlot, readSlot } from "./slot.ts";
import {
  addStream,
  findStream,
  identifyStream,
  newGeneration,
  resizeStream,
  type LogConnection,
  type LogIdentity,
  type LogNames,
  type StreamIdentity,
} from "./stream.ts";

export const positionHeader = "Skein-Position";

/** Relays that start at the same time set up the log one after the other. */
const setUpLock = lockKeys.relaySetUp;

interface Given {
  config: Config;
  db: Db;
  logger: Logger;
  metrics: Metrics;
}

/** Continues the existing log, or begins a new epoch. */
export async function setUpLog(
  given: Given,
  log: LogConnection,
  names: LogNames,
  signal: AbortSignal,
): Promise<LogIdentity> {
  return withSetUpLock(given.db, signal, (db) => continueOrBegin({ ...given, db }, log, names));
}

async function withSetUpLock<T>(db: Db, signal: AbortSignal, work: (connection: Db) => Promise<T>): Promise<T> {
  return untilAborted(db, signal, async (connection) => {
    await sql`select pg_advisory_lock(${setUpLock})`.execute(connection);
    // These commits must not wait for a standby: PostgreSQL may count the relay as one, and the relay connects only later. If
    // a standby without them is promoted, it does not match the stream, and a new epoch begins.
    await sql`set synchronous_commit = local`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`reset synchronous_commit`.execute(connection);
      await sql`select pg_advisory_unlock(${setUpLock})`.execute(connection);
    }
  });
}

async function continueOrBegin(given: Given, log: LogConnection, names: LogNames): Promise<LogIdentity> {
  const { config, db, logger, metrics } = given;
  // A standby shows an earlier state of its primary: the log may be ahead of it, and nothing can be written.
  const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(db);
  if (rows[0]?.standby) throw new Error("the database is a standby that has not been promoted");
  const { slot, found, stream, after, history, connection, mismatch } = await examineLog(given, log, names);
  if (slot && stream && !mismatch) {
    // Another relay may just have acquired it, and does the same.
    if (slot.isFailover === false && slot.pid === undefined) await makeFailoverSlot(names.slot, connection);
    const identity = await continueLog(given, log, names, { slot, stream, record: after, history });
    await applySettings(given, log, names, stream);
    return identity;
  }
  // A slot from another history may point to transactions that this database does not have.
  const isUsable = slot && !mismatch?.isDatabase;
  if (found && !isUsable) await dropSlot(db, names.slot);
  const slotConfirmed = isUsable ? slot.confirmed : await createSlot(db, names.slot);
  const identity = await beginEpoch({ config, db }, log, names, { record: after, stream, history, slotConfirmed });
  const { epoch } = identity;
  if (epoch > 1 && mismatch) metrics.newEpochs.inc({ cause: mismatch.cause });
  // The first epoch affects nobody; for any later one clients have to register again.
  logger[epoch === 1 ? "info" : "warn"](
    { epoch, reason: mismatch?.reason, database: identityOf(history), stream: stream && { ...stream } },
    `a new epoch of the event log begins: ${mismatch?.reason}`,
  );
  return identity;
}

const slotInUse = "55006";
const slotMilliseconds = 30_000;

/**
 * Begins a new epoch although the log could be continued, with a new slot. A relay that is publishing loses its connection
 * to the slot, and continues in the new epoch.
 */
export async function forceNewEpoch(
  given: Pick<Given, "config" | "db">,
  log: LogConnection,
  names: LogNames,
): Promise<LogIdentity> {
  const { config } = given;
  return withSetUpLock(given.db, new AbortController().signal, async (db) => {
    const history = await readHistory({ databaseUrl: config.databaseUrl, name: "skein log new-epoch" });
    await replaceSlot(db, names.slot);
    const slotConfirmed = await createSlot(db, names.slot);
    const stream = await findStream(log.manager, names);
    return beginEpoch({ config, db }, log, names, { record: await readRecord(db), stream, history, slotConfirmed });
  });
}

/** Drops the slot. Relays try to acquire it again several times a second, so this may take a few attempts. */
async function replaceSlot(db: Db, slot: string): Promise<void> {
  const deadline = performance.now() + slotMilliseconds;
  for (;;) {
    const found = await readSlot(db, slot);
    if (!found) return;
    try {
      if (found.pid !== undefined) await sql`select pg_terminate_backend(${found.pid}, 5000)`.execute(db);
      await dropSlot(db, slot);
      return;
    } catch (error) {
      const isInUse = error instanceof Error && "code" in error && error.code === slotInUse;
      if (!isInUse || performance.now() > deadline) throw error;
    }
  }
}

/** Reads everything on which it depends whether the log can be continued; `mismatch` says why not. Changes nothing. */
export async function examineLog({ config, db }: Pick<Given, "config" | "db">, log: LogConnection, names: LogNames) {
  // In this order, because another relay may be publishing: see LogState.
  const before = await readRecord(db);
  const found = await readSlot(db, names.slot);
  const slot = found?.confirmed === undefined ? undefined : { ...found, confirmed: found.confirmed };
  const stream = await findStream(log.manager, names);
  const newest = await newestEntry(log, names, stream);
  const after = await readRecord(db);
  const connection = { databaseUrl: config.databaseUrl, name: `${config.nodeName} relay` };
  const history = await readHistory(connection);
  const mismatch = findMismatch({ slot, lostSlot: found?.lost, stream, newest, before, after, history });
  return { slot, found, stream, after, history, connection, mismatch };
}

/** Replaces the stream by an empty one of a new epoch, and records it in the database. */
async function beginEpoch(
  { config, db }: Pick<Given, "config" | "db">,
  { manager }: LogConnection,
  names: LogNames,
  found: { record: LogRecord; stream: StreamIdentity | undefined; history: DatabaseHistory; slotConfirmed: bigint },
): Promise<LogIdentity> {
  const { record, stream, history, slotConfirmed } = found;
  // If the stream were continued, its ids would be reused for other events.
  if (stream) await manager.streams.delete(names.stream);
  // Higher than both, so that every node notices the change, whichever of the two it has followed.
  const epoch = Math.max(record.epoch, stream?.epoch ?? 0) + 1;
  const identity = { ...identityOf(history), epoch, generation: newGeneration() };
  await addStream(manager, config, names, identity);
  await writeRecord(db, identity, slotConfirmed);
  return identity;
}

const identityOf = ({ systemIdentifier, timeline }: DatabaseHistory) => ({ systemIdentifier, timeline });

/**
 * A stream created by an earlier version records neither its generation nor its cluster. It is adopted if epoch, length and
 * position match; if its newest transaction is then not found in the write-ahead log (`CommittedParts.skip`), a new epoch
 * begins.
 */
async function continueLog(
  { db, logger }: Given,
  { manager }: LogConnection,
  names: LogNames,
  found: { slot: { confirmed: bigint }; stream: StreamIdentity; record: LogRecord; history: DatabaseHistory },
): Promise<LogIdentity> {
  const { slot, stream, record, history } = found;
  const generation = stream.generation ?? newGeneration();
  const identity = { ...identityOf(history), epoch: stream.epoch, generation };
  const isRecorded = (recorded: Pick<LogRecord, "generation" | "systemIdentifier" | "timeline">) =>
    recorded.generation === generation &&
    recorded.systemIdentifier === history.systemIdentifier &&
    recorded.timeline === history.timeline;
  if (isRecorded(stream) && isRecorded(record)) return identity;
  // This does not set the confirmed sequence, which an active relay of an earlier version may be raising.
  await sql`
    update event_log set generation = ${generation}, system_identifier = ${identity.systemIdentifier},
      timeline = ${identity.timeline}, confirmed_lsn = ${writeLsn(slot.confirmed)},
      confirmed_lsn_sequence = ${record.confirmedSequence}
    where epoch = ${identity.epoch}`.execute(db);
  await identifyStream(manager, names, identity);
  logger.info(
    { log: { ...identity }, was: { ...stream } },
    "continuing the event log, and recorded which database history it belongs to",
  );
  return identity;
}

/** Applies settings that changed since the stream was created. */
async function applySettings(
  { config, logger }: Given,
  { manager }: LogConnection,
  names: LogNames,
  stream: StreamIdentity,
): Promise<void> {
  const { logMaxBytes, logReplicas } = config;
  if (stream.maxBytes === logMaxBytes && stream.replicas === logReplicas) return;
  const change = { was: { maxBytes: stream.maxBytes, replicas: stream.replicas }, now: { logMaxBytes, logReplicas } };
  try {
    await resizeStream(manager, names, config);
    logger.info(change, "applied SKEIN_LOG_MAX_BYTES and SKEIN_LOG_REPLICAS to the event log's stream");
  } catch (error) {
    logger.warn(
      { err: error, ...change },
      `NATS refused to change the event log's stream to SKEIN_LOG_MAX_BYTES=${logMaxBytes} and ` +
        `SKEIN_LOG_REPLICAS=${logReplicas} (${(error as Error).message}); it stays at ${stream.maxBytes} bytes and ` +
        `${stream.replicas} replicas`,
    );
  }
}

/**
 * Runs `work` on one connection and terminates that connection when the signal is aborted. The work may be waiting for
 * another relay, or for every open transaction with writes to end, which PostgreSQL requires before it creates a slot.
 */
async function untilAborted<T>(db: Db, signal: AbortSignal, work: (connection: Db) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
    let terminated: Promise<unknown> | undefined;
    const terminate = () => {
      terminated = sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(db).catch(() => undefined);
    };
    signal.throwIfAborted();
    signal.addEventListener("abort", terminate, { once: true });
    try {
      return await work(connection);
    } finally {
      signal.removeEventListener("abort", terminate);
      await terminated; // otherwise it could hit the next user of the pooled connection
    }
  });
}

export async function readRecord(db: Db): Promise<LogRecord> {
  const row = await db.selectFrom("event_log").selectAll().executeTakeFirst();
  if (!row) throw new Error("the table event_log has lost its row; restore it from a backup");
  return {
    epoch: row.epoch,
    confirmedSequence: row.confirmed_sequence,
    generation: row.generation ?? undefined,
    systemIdentifier: row.system_identifier ?? undefined,
    timeline: row.timeline ?? undefined,
    confirmedLsn: row.confirmed_lsn === null ? undefined : readLsn(row.confirmed_lsn),
    confirmedLsnSequence: row.confirmed_lsn_sequence ?? undefined,
  };
}

async function writeRecord(
  db: Db,
  { epoch, generation, systemIdentifier, timeline }: LogIdentity,
  slotConfirmed: bigint,
): Promise<void> {
  await sql`
    update event_log set epoch = ${epoch}, generation = ${generation}, system_identifier = ${systemIdentifier},
      timeline = ${timeline}, confirmed_sequence = 0, confirmed_lsn = ${writeLsn(slotConfirmed)},
      confirmed_lsn_sequence = 0`.execute(db);
}

/** The newest entry that a relay has published; sequence 0 if there is none. */
export async function newestEntry(
  { manager }: LogConnection,
  names: LogNames,
  stream: StreamIdentity | undefined,
): Promise<NewestEntry> {
  const found = stream && (await manager.streams.getMessage(names.stream, { last_by_subj: names.committed }));
  if (!found)
    return { sequence: 0, position: { lsn: 0n, parts: 0 }, epoch: undefined, generation: undefined, confirmed: 0 };
  const { epoch, generation, confirmed = 0 } = readHead(found.data);
  return {
    sequence: found.seq,
    position: readPosition(found.header.get(positionHeader)),
    epoch,
    generation,
    confirmed,
  };
}
