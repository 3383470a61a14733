/**
 * Carries committed events from PostgreSQL's write-ahead log into the event log, in commit order, each once.
 *
 * The replication slot is the lock: one relay reads it, the others try again until they get it. Transactions that are
 * decoded while a publish is under way go together in the next one, so there is never more than one publish in flight
 * and its place in the stream is known beforehand (a relay that lost the slot unnoticed cannot slip anything in).
 *
 * **Invariant:** an entry's header says how far it reaches. On start the newest header is read and what it covers is
 * skipped; the slot is confirmed only after the stream acknowledged, and after the stream's length was noted in the
 * database. So a crash anywhere neither loses nor repeats, and a stream that lost its end is noticed.
 */
import { headers } from "@nats-io/transport-node";
import { sql } from "kysely";
import type { Config } from "../config.ts";
import type { Db } from "../platform/db/connect.ts";
import type { Logger } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import { CommittedParts, type CommittedPart } from "./committed-parts.ts";
import { writeEntry } from "./log-entry.ts";
import { payloadNeeded, readPosition, writePosition, type RelayPosition } from "./log-format.ts";
import { dropSlot, setUpLog } from "./relay-setup.ts";
import { connectToLog, logNames, type LogConnection, type LogNames } from "./stream.ts";

const positionHeader = "Skein-Position";
/** An idle relay says that it lives; nodes that hear nothing stop trusting that the log is complete. */
const tickMilliseconds = 1000;
const confirmMilliseconds = 1000;
const retryMilliseconds = 300;
const slotInUse = "55006";
const maxEntryLength = 1024 * 1024;
/** For what an entry has beside its parts: a line about them, line breaks, a header. */
const entryMargin = 64 * 1024;

/** NATS would refuse it at every try, and nothing that comes after it would ever be told. */
class TooLargeForLog extends Error {
  override name = "TooLargeForLog";
}

export interface RelayDependencies {
  config: Config;
  db: Db;
  logger: Logger;
  metrics: Metrics;
}

export class Relay {
  readonly #given: RelayDependencies;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  isActive = false;
  /** Why it is neither active nor standing by. */
  problem: string | undefined;

  constructor(given: RelayDependencies) {
    this.#given = given;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { logger, metrics } = this.#given;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await holdOffice(this.#given, signal, () => {
          this.isActive = true;
          this.problem = undefined;
          metrics.relayActive.set(1);
          logger.info("relay is active");
        });
      } catch (error) {
        if (isSlotInUse(error) || signal.aborted) this.problem = undefined;
        else if (error instanceof TooLargeForLog) await this.#beginAnew(error);
        else {
          const { message } = error as Error; // only for people to read
          // Tried again several times a second: what is still the same was said.
          const level = message === this.problem ? "debug" : "warn";
          logger[level]({ err: error }, `relay was interrupted, starting again: ${message}`);
          this.problem = message;
        }
      }
      if (this.isActive) logger.info("relay stands by");
      this.isActive = false;
      metrics.relayActive.set(0);
      if (!signal.aborted) await pause(retryMilliseconds, signal);
    }
  }

  /** Without its slot the log begins a new epoch, after what it cannot carry: clients register again, and miss nothing. */
  async #beginAnew(error: TooLargeForLog): Promise<void> {
    const { config, db, logger } = this.#given;
    logger.error({ err: error }, "an event does not fit the event log, which begins anew after it");
    try {
      await dropSlot(db, logNames(config.logName).slot);
    } catch (failure) {
      logger.warn({ err: failure }, "the replication slot could not be dropped, trying again");
    }
  }
}

const isSlotInUse = (error: unknown) => error instanceof Error && "code" in error && error.code === slotInUse;

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/** One tenure: from getting the slot to losing a connection or being stopped, which throws. */
async function holdOffice(given: RelayDependencies, signal: AbortSignal, onActive: () => void): Promise<void> {
  const { config } = given;
  const names = logNames(config.logName);
  await standBy(given, names);
  const log = await connectToLog(config, { name: `${config.nodeName} relay`, reconnect: false });
  const parts = new CommittedParts({ databaseUrl: config.databaseUrl, name: `${config.nodeName} relay` });
  const onAbort = () => parts.fail(new Error("stopped"));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort(); // while connecting: it is not told again
  void log.nats.closed().then((error) => parts.fail(error instanceof Error ? error : new Error("NATS went away")));
  try {
    const epoch = await setUpLog(given, log, names, signal);
    await parts.start(names.slot);
    warnOfSmallPayload(given, log);
    onActive();
    await publishAll(given, log, names, epoch, parts);
  } finally {
    signal.removeEventListener("abort", onAbort);
    await parts.close();
    await log.nats.close();
  }
}

/** Throws as PostgreSQL would while another relay holds the slot, at the price of one small query. */
async function standBy({ db }: RelayDependencies, names: LogNames): Promise<void> {
  const { rows } = await sql<{ active: boolean }>`
    select active from pg_replication_slots where slot_name = ${names.slot}`.execute(db);
  if (rows[0]?.active) throw Object.assign(new Error("another relay is active"), { code: slotInUse });
}

/** The longest message NATS takes. */
const payloadOf = ({ nats }: LogConnection): number => nats.info?.max_payload ?? payloadNeeded;

function warnOfSmallPayload({ logger }: RelayDependencies, log: LogConnection): void {
  const most = payloadOf(log);
  if (most < payloadNeeded)
    logger.warn(
      `NATS takes messages of up to ${most} bytes, and an event can be larger: set max_payload to ${payloadNeeded} in its configuration`,
    );
}

async function publishAll(
  { db, metrics }: RelayDependencies,
  log: LogConnection,
  names: LogNames,
  epoch: number,
  parts: CommittedParts,
): Promise<never> {
  const maxLength = Math.min(maxEntryLength, payloadOf(log) - entryMargin);
  // Not before the slot is ours: until then another relay may add to the log.
  let newest = await newestEntry(log, names);
  parts.skip(newest.position);
  let [publishedAt, confirmedAt] = [0, 0];
  for (;;) {
    const taken = parts.take(maxLength);
    if (taken.length > 0 || Date.now() - publishedAt >= tickMilliseconds) {
      newest = await publish(log, names, epoch, newest, taken);
      publishedAt = Date.now();
      metrics.relayPublished.inc(new Set(taken.map((part) => part.lsn)).size);
    }
    if (Date.now() - confirmedAt >= confirmMilliseconds) {
      confirmedAt = Date.now();
      // Beside the publishing, which it would hold up: what is confirmed is what had been published by now.
      void confirm(db, epoch, newest.sequence, parts).catch((error: Error) => parts.fail(error));
    } else if (parts.mustReply) await parts.reply();
    await parts.arrival(Math.max(1, Math.min(publishedAt, confirmedAt) + tickMilliseconds - Date.now()));
  }
}

async function confirm(db: Db, epoch: number, sequence: number, parts: CommittedParts): Promise<void> {
  const upTo = parts.takenUpTo;
  await sql`update event_log set confirmed_sequence = ${sequence} where epoch = ${epoch}`.execute(db);
  await parts.confirm(upTo);
}

interface Newest {
  sequence: number;
  position: RelayPosition;
}

async function newestEntry(log: LogConnection, names: LogNames): Promise<Newest> {
  const newest = await log.manager.streams.getMessage(names.stream, { last_by_subj: names.committed });
  if (!newest) return { sequence: 0, position: { lsn: 0n, parts: 0 } };
  return { sequence: newest.seq, position: readPosition(newest.header.get(positionHeader)) };
}

/** Refused when the log is not as we know it, because another relay has added to it. */
async function publish(
  log: LogConnection,
  names: LogNames,
  epoch: number,
  after: Newest,
  parts: CommittedPart[],
): Promise<Newest> {
  const last = parts.at(-1);
  const position = last ? { lsn: last.lsn, parts: last.before + 1 } : after.position;
  const head = headers();
  head.set(positionHeader, writePosition(position));
  const entry = writeEntry(epoch, parts);
  const most = payloadOf(log);
  if (entry.length > most - entryMargin && parts.length === 1)
    throw new TooLargeForLog(`an entry of ${entry.length} bytes, and NATS takes ${most}`);
  const { seq } = await log.client.publish(names.committed, entry, {
    headers: head,
    expect: { lastSubjectSequence: after.sequence },
    timeout: 5000,
  });
  return { sequence: seq, position };
}
