/**
 * Publishes committed events from PostgreSQL's write-ahead log to the event log, in commit order, exactly once.
 *
 * The replication slot is the lock: one relay reads it, and the others retry until they get it. Only one publish is in
 * flight at a time, and transactions that are decoded meanwhile go together into the next one. So the next sequence is
 * known in advance, and a relay that lost the slot without noticing cannot publish anything.
 *
 * **Invariant:** an entry's header states how far it reaches. On start the relay reads the newest header and skips what it
 * covers. It confirms the slot only after the stream has acknowledged, and after it has recorded the stream's length in the
 * database. So a crash at any point neither loses nor repeats an event, and a stream that lost its end is detected.
 * Whether stream and database belong together is checked on start (`log-history.ts`), and by finding the stream's newest
 * transaction in the write-ahead log.
 */
import { headers, TimeoutError } from "@nats-io/transport-node";
import { sql } from "kysely";
import type { Config } from "../config.ts";
import type { Db } from "../platform/db/connect.ts";
import type { Logger } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { Span, Tracing } from "../platform/tracing.ts";
import { CommittedParts, OtherHistory, type CommittedPart } from "./committed-parts.ts";
import { transactionOf, writeEntry } from "./log-entry.ts";
import { prefix, requiredPayload, writeLsn, writePosition, type RelayPosition } from "./log-format.ts";
import { belongsToStream } from "./log-history.ts";
import { tracesOf } from "./log-traces.ts";
import { cannotStore, canStore, NotStored, storesEntries } from "./log-storage.ts";
import { newestEntry, positionHeader, setUpLog } from "./relay-setup.ts";
import { dropSlot, readSlot } from "./slot.ts";
import {
  connectToLog,
  findStream,
  isCluster,
  logNames,
  type LogConnection,
  type LogIdentity,
  type LogNames,
} from "./stream.ts";
import { VisibleTransactions } from "./visible.ts";

/** An idle relay publishes a heartbeat; without it, nodes stop trusting that the log is complete. */
const tickMilliseconds = 1000;
const confirmMilliseconds = 1000;
/** Used while commits wait for the relay, because PostgreSQL treats it as a synchronous standby. */
const synchronousConfirmMilliseconds = 50;
const confirmTimeoutMilliseconds = 30_000;
/** After this time a relay checks whether its own commit waits for itself. */
const selfWaitMilliseconds = 1000;
const retryMilliseconds = 300;
const publishMilliseconds = 5000;
/** Under load, more transactions go into each entry: an entry costs the same whether it contains one or twenty. */
const minMillisecondsApart = 2;
/** How many times in a row the stream may fail to store an entry, although NATS has room, before it is replaced. */
const attemptsBeforeReplacing = 3;
/** How often the relay checks whether a full disk has room again. */
const roomMilliseconds = 500;
const slotInUse = "55006";
const maxEntryLength = 1024 * 1024;
/** Room for the rest of an entry: its head line, line breaks, and the message header. */
const entryMargin = 64 * 1024;

/** NATS would reject the entry on every retry, and nothing after it would ever be delivered. */
class TooLargeForLog extends Error {
  override name = "TooLargeForLog";
}

export interface RelayDependencies {
  config: Config;
  db: Db;
  logger: Logger;
  metrics: Metrics;
  tracing: Tracing | undefined;
}

export class Relay {
  readonly #given: RelayDependencies;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  isActive = false;
  /** Why an active relay publishes nothing, and what to do about it; undefined once an entry is stored. */
  problem: string | undefined;
  /** What an operator should change, although events are delivered. */
  warning: string | undefined;

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
        await runAsLeader(this.#given, signal, {
          onActive: () => {
            this.isActive = true;
            metrics.relayActive.set(1);
            logger[this.problem === undefined ? "info" : "debug"]("relay is active");
          },
          onStored: () => {
            if (this.problem !== undefined) logger.info("relay is publishing again");
            this.problem = undefined;
          },
          onProblem: (problem) => {
            if (problem !== this.problem) logger.warn(problem);
            this.problem = problem;
          },
          onWarning: (warning) => {
            if (warning !== undefined && warning !== this.warning) logger.error(warning);
            this.warning = warning;
          },
        });
      } catch (error) {
        if (isSlotInUse(error) || signal.aborted) this.problem = undefined;
        else if (error instanceof TooLargeForLog || error instanceof OtherHistory) await this.#beginNewEpoch(error);
        else {
          const { message } = error as Error;
          // It retries several times a second, so the same problem is logged once.
          const level = message === this.problem ? "debug" : "warn";
          logger[level]({ err: error }, `relay was interrupted and will retry: ${message}`);
          this.problem = message;
        }
      }
      if (this.isActive) logger[this.problem === undefined ? "info" : "debug"]("relay is on standby");
      this.isActive = false;
      metrics.relayActive.set(0);
      if (!signal.aborted) await pause(retryMilliseconds, signal);
    }
  }

  /** Drops the slot, so that a new epoch begins after the offending transaction: clients register again and miss nothing. */
  async #beginNewEpoch(error: TooLargeForLog | OtherHistory): Promise<void> {
    const { config, db, logger } = this.#given;
    logger.error({ err: error }, `the event log needs a new epoch: ${error.message}`);
    try {
      await dropSlot(db, logNames(config.logName).slot);
    } catch (failure) {
      logger.warn({ err: failure }, "could not drop the replication slot; will retry");
    }
  }
}

const isSlotInUse = (error: unknown) => error instanceof Error && "code" in error && error.code === slotInUse;

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/** Called while this relay is the active one. */
interface LeaderListener {
  onActive: () => void;
  /** An entry was stored. */
  onStored: () => void;
  /** Nothing can be published, although the relay stays active. */
  onProblem: (problem: string) => void;
  onWarning: (warning: string | undefined) => void;
}

/** Runs from acquiring the slot until a connection is lost or the relay is stopped, which throws. */
async function runAsLeader(given: RelayDependencies, signal: AbortSignal, listener: LeaderListener): Promise<void> {
  const { config } = given;
  const names = logNames(config.logName);
  await demandFreeSlot(given, names);
  const log = await connectToLog(config, { name: `${config.nodeName} relay`, reconnect: false });
  const database = { databaseUrl: config.databaseUrl, name: `${config.nodeName} relay` };
  const parts = new CommittedParts(database);
  const visible = new VisibleTransactions(database, (error) => parts.fail(error));
  const onAbort = () => parts.fail(new Error("stopped"));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort(); // it was aborted while connecting
  void log.nats
    .closed()
    .then((error) => parts.fail(error instanceof Error ? error : new Error("the connection to NATS was closed")));
  try {
    await warnOfSynchronousCommits(given, listener);
    const identity = await setUpLog(given, log, names, signal);
    await visible.start();
    await parts.start(names.slot);
    warnOfSmallPayload(given, log);
    listener.onActive();
    try {
      await publishAll(given, { log, names, identity, parts, visible, listener });
    } catch (error) {
      if (error instanceof NotStored) await untilStored({ log, names, identity, parts, signal, listener });
      throw error;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    await parts.close();
    await visible.close();
    await log.nats.close();
  }
}

/**
 * Returns when the stream stores entries again. The relay keeps its slot meanwhile, because another relay would fail in the
 * same way and log the same problem. A stream that stores nothing although the disk has room never recovers: this function
 * deletes it and throws, and a new epoch begins. In a cluster only this server may be cut off or full: it throws, and the
 * relay connects to another one.
 */
async function untilStored(leader: {
  log: LogConnection;
  names: LogNames;
  identity: LogIdentity;
  parts: CommittedParts;
  signal: AbortSignal;
  listener: LeaderListener;
}): Promise<void> {
  const { log, names, identity, parts, signal, listener } = leader;
  for (let silent = 1; silent < attemptsBeforeReplacing;) {
    if (await storesEntries(log, names, identity)) return;
    parts.throwFailure(); // the connection to NATS or PostgreSQL was lost, which is another problem
    if (await canStore(log, names)) silent++;
    else {
      silent = 1;
      listener.onProblem(cannotStore);
      if (isCluster(log)) throw new Error(cannotStore);
    }
    await pause(roomMilliseconds, signal);
    await parts.keepAlive();
  }
  await log.manager.streams.delete(names.stream);
  throw new Error("the event log's stream no longer stores entries although NATS has room, and is replaced");
}

/** Throws PostgreSQL's error if another relay holds the slot: cheaper than connecting first. */
async function demandFreeSlot({ db }: RelayDependencies, names: LogNames): Promise<void> {
  const { rows } = await sql<{ active: boolean }>`
    select active from pg_replication_slots where slot_name = ${names.slot}`.execute(db);
  if (rows[0]?.active) throw Object.assign(new Error("another relay is active"), { code: slotInUse });
}

const maxPayload = ({ nats }: LogConnection): number => nats.info?.max_payload ?? requiredPayload;

function warnOfSmallPayload({ logger }: RelayDependencies, log: LogConnection): void {
  const max = maxPayload(log);
  if (max < requiredPayload)
    logger.warn(
      `NATS accepts messages of up to ${max} bytes, but an event can be larger: set max_payload to ${requiredPayload} in its configuration`,
    );
}

/** Checked before the slot is created: that waits for pending commits, which may themselves wait for the relay. */
async function warnOfSynchronousCommits({ db }: RelayDependencies, listener: LeaderListener): Promise<void> {
  const { rows } = await sql<{ names: string }>`
    select current_setting('synchronous_standby_names') as names`.execute(db);
  const [row] = rows;
  if (row?.names.includes("*")) listener.onWarning(synchronousWarning(row.names));
}

async function publishAll(
  given: RelayDependencies,
  leader: {
    log: LogConnection;
    names: LogNames;
    identity: LogIdentity;
    parts: CommittedParts;
    visible: VisibleTransactions;
    listener: LeaderListener;
  },
): Promise<never> {
  const { db, metrics } = given;
  const { log, names, identity, parts, visible, listener } = leader;
  const maxLength = Math.min(maxEntryLength, maxPayload(log) - entryMargin);
  // Read only now that we hold the slot: before, another relay could confirm it, add to the log, or begin another epoch.
  const slot = await readSlot(db, names.slot);
  const stream = await findStream(log.manager, names);
  if (!stream || !belongsToStream(identity, stream)) throw new Error(newEpochBegan);
  let newest: Newest = await newestEntry(log, names, stream);
  parts.skip(newest.position, slot?.confirmed ?? 0n);
  const leadership: Leadership = {
    identity,
    slot: names.slot,
    confirmedSequence: 0,
    isConfirming: false,
    isSynchronous: false,
  };
  let [publishedAt, confirmedAt] = [0, 0];
  for (;;) {
    const early = publishedAt + minMillisecondsApart - Date.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    const taken = parts.take(maxLength);
    // Commits that wait for this relay cannot become visible before it has published them.
    if (!leadership.isSynchronous) await visible.wait(taken.flatMap(({ json }) => transactionOf(json) ?? []));
    if (taken.length > 0 || Date.now() - publishedAt >= tickMilliseconds) {
      newest = await publish(log, names, leadership, newest, taken, given.tracing);
      publishedAt = Date.now();
      listener.onStored();
      metrics.relayPublished.inc(new Set(taken.map((part) => part.lsn)).size);
      if (taken[0]) metrics.relayDelay.observe(secondsSince(taken[0].committedAt));
    }
    const confirmEvery = leadership.isSynchronous ? synchronousConfirmMilliseconds : confirmMilliseconds;
    if (Date.now() - confirmedAt >= confirmEvery && !leadership.isConfirming) {
      confirmedAt = Date.now();
      // Runs concurrently, so that publishing does not wait for it. It confirms what has been published so far.
      void confirm(given, leadership, newest.sequence, parts, listener).catch((error: Error) => parts.fail(error));
    } else if (parts.mustReply) await parts.reply();
    const nextConfirmation = leadership.isConfirming ? Infinity : confirmedAt + confirmEvery;
    const due = Math.min(publishedAt + tickMilliseconds, nextConfirmation);
    await parts.arrival(Math.max(1, due - Date.now()));
  }
}

const newEpochBegan = "another epoch of the event log has begun";

/** State of the active relay. */
interface Leadership {
  identity: LogIdentity;
  slot: string;
  /** The sequence recorded in the database. Each entry repeats it, so that a database set to an earlier state is detected. */
  confirmedSequence: number;
  isConfirming: boolean;
  /** Whether commits wait for this relay's confirmations. */
  isSynchronous: boolean;
}

/**
 * Records in the database how far the log reaches, and confirms the slot.
 *
 * If synchronous_standby_names matches this relay's connection, commits wait until the relay has confirmed them. This
 * update is itself a commit and would wait for the confirmation that follows it, so in that case it commits locally. If the
 * setting changes while the statement runs, the commit does wait, until `endSelfWait` cancels the wait.
 *
 * The update also emits a part without events. So the log's newest transaction is almost always one for which the slot has
 * not been confirmed yet, and PostgreSQL sends it again to the next relay. That proves that slot, database and log belong
 * together (`CommittedParts.skip`).
 */
async function confirm(
  { db, logger }: RelayDependencies,
  leadership: Leadership,
  sequence: number,
  parts: CommittedParts,
  listener: LeaderListener,
): Promise<void> {
  const { epoch, generation } = leadership.identity;
  leadership.isConfirming = true;
  const timer = setTimeout(
    () => parts.fail(new Error("PostgreSQL did not record the event log's position in time")),
    confirmTimeoutMilliseconds,
  );
  const selfWait = setInterval(
    () => void endSelfWait(db, leadership.slot).catch((error: Error) => logger.debug({ err: error }, "still waiting")),
    selfWaitMilliseconds,
  );
  try {
    const upTo = parts.takenUpTo;
    const { rows } = await sql<{ names: string; is_synchronous: boolean }>`
      with relay as (
        select current_setting('synchronous_standby_names') as names, ${isSynchronous(leadership.slot)} as is_synchronous)
      update event_log set confirmed_sequence = ${sequence}, confirmed_lsn = ${writeLsn(upTo)},
        confirmed_lsn_sequence = ${sequence}
      from relay where epoch = ${epoch} and generation = ${generation}
      returning relay.names, relay.is_synchronous, set_config('synchronous_commit',
        case when relay.is_synchronous then 'local' else current_setting('synchronous_commit') end, true),
        pg_logical_emit_message(true, ${prefix}, '0' || chr(10) || json_build_object(
          'x', pg_current_xact_id()::text::bigint, 'r', 0)::text)`.execute(db);
    const [row] = rows;
    if (!row) throw new Error(newEpochBegan);
    const warning = row.is_synchronous ? synchronousWarning(row.names) : undefined;
    listener.onWarning(warning);
    leadership.isSynchronous = row.is_synchronous;
    leadership.confirmedSequence = sequence;
    await parts.confirm(upTo);
  } finally {
    clearTimeout(timer);
    clearInterval(selfWait);
    leadership.isConfirming = false;
    parts.wake();
  }
}

/**
 * Whether commits wait for the connection that reads the slot. pg_stat_replication is not enough: it shows a connection as
 * asynchronous until its first confirmation, and shows nothing to roles without privileges. So `*` in the setting counts.
 */
const isSynchronous = (slot: string) => sql<boolean>`(current_setting('synchronous_standby_names') ~ '[*]' or exists (
  select from pg_replication_slots s join pg_stat_replication r on r.pid = s.active_pid
  where s.slot_name = ${slot} and r.sync_state <> 'async'))`;

/** Cancels an update that waits for the confirmation that would follow it. The update itself is already committed. */
async function endSelfWait(db: Db, slot: string): Promise<void> {
  await sql`
    select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = current_user and wait_event = 'SyncRep'
      and query ~ 'update event_log set confirmed_sequence' and ${isSynchronous(slot)}`.execute(db);
}

const synchronousWarning = (names: string) =>
  `PostgreSQL treats the relay as a synchronous standby, because synchronous_standby_names is '${names}': every commit ` +
  "waits for the event log, and hangs while no relay runs. Name your standbys there, for example " +
  "'ANY 1 (standby_1, standby_2)', instead of matching every connection with '*'";

/** Two machines' clocks may differ a little. */
const secondsSince = (milliseconds: number): number => Math.max(0, Date.now() - milliseconds) / 1000;

interface Newest {
  sequence: number;
  position: RelayPosition;
}

/** From the commit on, because that is when the relay's work begins. */
const startSpans = (tracing: Tracing, parts: CommittedPart[], startedAt: number): Span[] =>
  tracesOf(parts).flatMap((parent) => tracing.start("relay", { kind: "producer", parent, startedAt }) ?? []);

/** Fails if another relay has added to the log since `after`. */
async function publish(
  log: LogConnection,
  names: LogNames,
  { identity: { epoch, generation }, confirmedSequence }: Leadership,
  after: Newest,
  parts: CommittedPart[],
  tracing: Tracing | undefined,
): Promise<Newest> {
  const last = parts.at(-1);
  const position = last ? { lsn: last.lsn, parts: last.before + 1 } : after.position;
  const head = headers();
  head.set(positionHeader, writePosition(position));
  const at = parts[0]?.committedAt;
  const spans = tracing && at !== undefined ? startSpans(tracing, parts, at) : [];
  const traces = spans.length > 0 ? spans.map(({ traceparent }) => traceparent) : undefined;
  const entry = writeEntry({ epoch, generation, confirmed: confirmedSequence, at, traces }, parts);
  const max = maxPayload(log);
  if (entry.length > max - entryMargin && parts.length === 1)
    throw new TooLargeForLog(`an event is too large (an entry of ${entry.length} bytes; NATS accepts ${max})`);
  try {
    const { seq } = await log.client.publish(names.committed, entry, {
      headers: head,
      expect: { lastSubjectSequence: after.sequence },
      timeout: publishMilliseconds,
    });
    for (const span of spans) span.end({ "skein.sequence": seq });
    return { sequence: seq, position };
  } catch (error) {
    for (const span of spans) span.end({}, "not published");
    if (error instanceof TimeoutError)
      throw new NotStored(`NATS did not store an entry of the event log in ${publishMilliseconds / 1000} s`);
    throw error;
  }
}
