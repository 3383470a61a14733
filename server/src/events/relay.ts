/**
 * Carries committed events from PostgreSQL's write-ahead log into the event log, in commit order, each once.
 *
 * The replication slot is the lock: one relay reads it, the others try again until they get it. Transactions that are
 * decoded while a publish is under way go together in the next one, so there is never more than one publish in flight
 * and its place in the stream is known beforehand (a relay that lost the slot unnoticed cannot slip anything in).
 *
 * **Invariant:** an entry's header says how far it reaches. On start the newest header is read and what it covers is
 * skipped; the slot is confirmed only after the stream acknowledged. So a crash anywhere neither loses nor repeats.
 */
import { headers } from "@nats-io/transport-node";
import { sql } from "kysely";
import { LogicalReplicationService, PgoutputPlugin, type Pgoutput } from "pg-logical-replication";
import type { Config } from "../config.ts";
import type { Db } from "../platform/db/connect.ts";
import type { Logger } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import {
  maxEventsPerEntry,
  prefix,
  readLsn,
  readPosition,
  splitPayload,
  writeLsn,
  writePosition,
  type RelayPosition,
} from "./log-format.ts";
import { beginEpoch, connectToLog, findStream, logNames, type LogConnection, type LogNames } from "./stream.ts";

const positionHeader = "Skein-Position";
/** An idle relay says that it lives; nodes that hear nothing stop trusting that the log is complete. */
const tickMilliseconds = 1000;
const retryMilliseconds = 300;
const maxEntryBytes = 1024 * 1024;
const setUpLock = 7_303_014_230;
const slotInUse = "55006";

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
  readonly #memory: RelayMemory = { stream: "", sequence: 0 };
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
        await carry(this.#given, this.#memory, signal, () => {
          this.isActive = true;
          this.problem = undefined;
          metrics.relayActive.set(1);
          logger.info("relay is active");
        });
      } catch (error) {
        if (isSlotInUse(error)) this.problem = undefined;
        else {
          this.problem = (error as Error).message; // only for people to read
          logger.warn({ err: error }, "relay was interrupted, starting again");
        }
      }
      if (this.isActive) logger.info("relay stands by");
      this.isActive = false;
      metrics.relayActive.set(0);
      if (!signal.aborted) await pause(retryMilliseconds, signal);
    }
  }
}

const isSlotInUse = (error: unknown) => error instanceof Error && "code" in error && error.code === slotInUse;

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/** One tenure: from getting the slot to losing a connection or being stopped. */
async function carry(
  given: RelayDependencies,
  memory: RelayMemory,
  signal: AbortSignal,
  onActive: () => void,
): Promise<void> {
  const { config } = given;
  const names = logNames(config.logName);
  await standBy(given, names);
  const log = await connectToLog(config, { name: `${config.nodeName} relay`, reconnect: false });
  try {
    const epoch = await prepare(given, memory, log, names);
    const replication = new LogicalReplicationService(
      { connectionString: config.databaseUrl, application_name: `${config.nodeName} relay` },
      // Confirmations are ours alone: the library's own would confirm what has only been received.
      { acknowledge: { auto: false, timeoutSeconds: 0 } },
    );
    try {
      await publishAll({ given, memory, log, names, epoch, replication, signal, onActive });
    } finally {
      await replication.destroy();
    }
  } finally {
    await log.nats.close();
  }
}

/** Throws as PostgreSQL would while another relay holds the slot, at the price of one small query. */
async function standBy({ db }: RelayDependencies, names: LogNames): Promise<void> {
  const { rows } = await sql<{ active: boolean }>`
    select active from pg_replication_slots where slot_name = ${names.slot}`.execute(db);
  if (rows[0]?.active) throw Object.assign(new Error("another relay is active"), { code: slotInUse });
}

/** Stream and slot are there and belong together; gives the epoch. */
async function prepare(
  { config, db, logger }: RelayDependencies,
  memory: RelayMemory,
  log: LogConnection,
  names: LogNames,
): Promise<number> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${setUpLock})`.execute(connection);
    try {
      const slot = await sql<{ wal_status: string | null }>`
        select wal_status from pg_replication_slots where slot_name = ${names.slot} and database = current_database()
      `.execute(connection);
      const isLost = slot.rows[0]?.wal_status === "lost";
      if (isLost) await sql`select pg_drop_replication_slot(${names.slot})`.execute(connection);
      const hadSlot = slot.rows.length > 0 && !isLost;
      if (!hadSlot) await sql`select pg_create_logical_replication_slot(${names.slot}, 'pgoutput')`.execute(connection);
      const stream = await findStream(log.manager, names);
      const wentBack = stream?.created === memory.stream && stream.lastSequence < memory.sequence;
      if (hadSlot && stream && !wentBack) {
        if (memory.stream !== stream.created) Object.assign(memory, { stream: stream.created, sequence: 0 });
        return stream.epoch;
      }
      // Begun anew rather than continued: a stream that lost its end would give the same ids to other events.
      if (stream) await log.manager.streams.delete(names.stream);
      const epoch = await beginEpoch(db, log.manager, config, names);
      Object.assign(memory, { stream: (await findStream(log.manager, names))?.created ?? "", sequence: 0 });
      logger.warn({ epoch, hadSlot, hadStream: stream !== undefined, wentBack }, "a new epoch of the event log begins");
      return epoch;
    } finally {
      await sql`select pg_advisory_unlock(${setUpLock})`.execute(connection);
    }
  });
}

/** What a relay knows from its earlier tenures: a stream that has become shorter since has lost entries. */
interface RelayMemory {
  stream: string;
  sequence: number;
}

interface Part {
  lsn: bigint;
  /** How many parts of this transaction come before this one. */
  before: number;
  events: number;
  json: string;
}

interface Tenure {
  given: RelayDependencies;
  memory: RelayMemory;
  log: LogConnection;
  names: LogNames;
  epoch: number;
  replication: LogicalReplicationService;
  signal: AbortSignal;
  onActive: () => void;
}

async function publishAll({ given, memory, log, names, epoch, replication, signal, onActive }: Tenure): Promise<void> {
  const { metrics } = given;
  let waiting: Part[] = [];
  let wake: (() => void) | undefined;
  let failure: Error | undefined;
  let ended = false;
  const fail = (error: Error) => {
    failure ??= error;
    ended = true;
    wake?.();
  };

  let transaction = { lsn: 0n, parts: 0 };
  let lastCommitted = 0n;
  let skipTo: RelayPosition = { lsn: 0n, parts: 0 };
  let walEnd = 0n;
  let mustReply = false;
  const isCovered = (part: Part) => part.lsn < skipTo.lsn || (part.lsn === skipTo.lsn && part.before < skipTo.parts);

  const started = new Promise<void>((resolve) => {
    replication.on("start", resolve);
    wake = resolve;
  });
  replication.on("error", fail);
  replication.on("heartbeat", (lsn: string, _time: number, shouldRespond: boolean) => {
    walEnd = readLsn(lsn);
    mustReply ||= shouldRespond;
    wake?.();
  });
  replication.on("data", (_lsn: string, message: Pgoutput.Message) => {
    if (message.tag === "begin") transaction = { lsn: readLsn(message.commitLsn ?? "0/0"), parts: 0 };
    else if (message.tag === "message" && message.prefix === prefix) {
      const { events, json } = splitPayload(Buffer.from(message.content).toString("utf8"));
      const part = { lsn: transaction.lsn, before: transaction.parts++, events, json };
      if (!isCovered(part)) waiting.push(part);
    } else if (message.tag === "commit") {
      lastCommitted = transaction.lsn;
      wake?.();
    }
  });
  const onAbort = () => fail(new Error("stopped"));
  signal.addEventListener("abort", onAbort, { once: true });
  void log.nats
    .closed()
    .then((error) => fail(error instanceof Error ? error : new Error("the connection to NATS closed")));

  let confirmed = 0n;

  const confirm = async () => {
    // Only what is published may be confirmed. The library adds one to what it is given, hence the `- 1n`.
    const upTo = waiting.length > 0 ? 0n : lastCommitted > walEnd ? lastCommitted + 1n : walEnd;
    if (upTo > confirmed) confirmed = upTo;
    else if (!mustReply) return;
    mustReply = false;
    if (confirmed > 0n) await replication.acknowledge(writeLsn(confirmed - 1n));
  };

  replication
    .subscribe(new PgoutputPlugin({ protoVersion: 1, publicationNames: ["skein"], messages: true }), names.slot)
    .then(() => fail(new Error("PostgreSQL ended the replication")), fail);

  try {
    await started;
    if (!ended) onActive();
    // Not before the slot is ours: until then another relay may add to the log.
    const newest = await newestEntry(log, names);
    skipTo = newest.position;
    let { sequence } = newest;
    waiting = waiting.filter((part) => !isCovered(part));
    let lastPublished = Date.now();
    while (!ended) {
      const parts = takeEntry(waiting);
      waiting = waiting.slice(parts.length);
      const last = parts.at(-1);
      const isTick = last === undefined && !replication.isStop() && Date.now() - lastPublished >= tickMilliseconds;
      if (last || isTick) {
        const position = last ? { lsn: last.lsn, parts: last.before + 1 } : skipTo;
        const head = headers();
        head.set(positionHeader, writePosition(position));
        const body = `{"epoch":${epoch},"parts":[${parts.map((part) => part.json).join(",")}]}`;
        const ack = await log.client.publish(names.committed, body, {
          headers: head,
          expect: { lastSubjectSequence: sequence },
          timeout: 5000,
        });
        sequence = memory.sequence = ack.seq;
        skipTo = position;
        lastPublished = Date.now();
        metrics.relayPublished.inc(new Set(parts.map((part) => part.lsn)).size);
      }
      await confirm();
      if (waiting.length > 0 || ended) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(1, lastPublished + tickMilliseconds - Date.now()));
        wake = () => (clearTimeout(timer), resolve());
      });
      wake = undefined;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  if (failure && !signal.aborted) throw failure;
}

/** As many parts as fit one entry. */
function takeEntry(waiting: Part[]): Part[] {
  let events = 0;
  let bytes = 0;
  let count = 0;
  for (const part of waiting) {
    events += part.events;
    bytes += part.json.length;
    if (count > 0 && (events > maxEventsPerEntry || bytes > maxEntryBytes)) break;
    count++;
  }
  return waiting.slice(0, count);
}

async function newestEntry(
  log: LogConnection,
  names: LogNames,
): Promise<{ sequence: number; position: RelayPosition }> {
  const newest = await log.manager.streams.getMessage(names.stream, { last_by_subj: names.committed });
  if (!newest) return { sequence: 0, position: { lsn: 0n, parts: 0 } };
  return { sequence: newest.seq, position: readPosition(newest.header.get(positionHeader)) };
}
