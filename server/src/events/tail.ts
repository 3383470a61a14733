/**
 * The newest part of the event log, in memory, shared by all queues of a node. Entries arrive in order without gaps; older
 * entries are read from the stream on demand.
 *
 * **Invariant:** `head` is the sequence of the newest entry, and every entry from `oldest` to `head` is held. Entries of
 * another epoch or generation than the stream's are held without their parts, so that none of their events are delivered.
 */
import { DeliverPolicy, type ConsumerMessages } from "@nats-io/jetstream";
import type { Config } from "../config.ts";
import type { Logger } from "../platform/log.ts";
import { readEntry, writeEntry, type LogEntry } from "./log-entry.ts";
import { NewerFormat, type LogPart, type LogPosition } from "./log-format.ts";
import { belongsToStream } from "./log-history.ts";
import { OlderEntries } from "./older-entries.ts";
import {
  connectToLog,
  findStream,
  isCluster,
  logNames,
  type LogConnection,
  type LogNames,
  type StreamIdentity,
} from "./stream.ts";

/** Minimum time an entry is held: longer than any commit takes from being logged to becoming visible. */
export const recentMilliseconds = 60_000;
/** An active relay sends a heartbeat every second. */
const silenceMilliseconds = 3000;
const watchMilliseconds = 1000;
/** After this time without a response, a node connects to another server of the NATS cluster. */
const moveMilliseconds = 4000;
const stuckMilliseconds = 3000;
const olderMilliseconds = 5000;
/** After this long without a relay something is wrong; a standby takes over sooner. */
const noRelayMilliseconds = 10_000;
/** Shorter problems are not logged. */
const troubleMilliseconds = 3000;

export interface TailListener {
  onEntry: (entry: LogEntry) => void;
  /** A new log has replaced the old one, whose positions are no longer valid. */
  onEpoch: (epoch: number) => void;
  /** An entry belongs to another log than the current one and is skipped. */
  onRefused: () => void;
  /** The next entry is in a format that only a newer release reads: this node reads no further. */
  onNewerFormat: () => void;
}

export class Tail {
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #names: LogNames;
  readonly #listener: TailListener;
  #log: LogConnection | undefined;
  #connecting: Promise<LogConnection> | undefined;
  #startedAt = 0;
  #messages: ConsumerMessages | undefined;
  #identity: StreamIdentity | undefined;
  #entries: LogEntry[] = [];
  readonly #older = new OlderEntries((first, count) => this.#readOlder(first, count));
  #offset = 0;
  #bytes = 0;
  #watch: NodeJS.Timeout | undefined;
  #isFollowing = false;
  #isStopped = false;
  #lastProgress = 0;
  #lastCommitted = 0;
  /** Whether NATS had the stream when it was last queried; "none" if it did not respond. */
  #answer: "ok" | "no stream" | "none" = "none";
  #respondedAt = 0;
  #problemSince = 0;
  #loggedProblem: string | undefined;
  #waiters: { sequence: number; resolve: () => void }[] = [];
  #sync: Promise<void> | undefined;
  #nextSync: Promise<void> | undefined;
  /** Rejected when the connection to NATS is lost; replaced when it is back. */
  #broken = Promise.withResolvers<never>();
  #hasRefused = false;
  #streamEnd = 0;
  /** Why reading has stopped for good: only a newer release can read the next entry. */
  newerFormat: NewerFormat | undefined;
  head = 0;
  epoch = 0;
  /** Generation of the stream; undefined if an earlier version created it. */
  generation: string | undefined;
  /** The sequence that the database has confirmed, according to the entries; a database with less was restored. */
  confirmedSequence = 0;

  constructor(config: Config, logger: Logger, listener: TailListener) {
    this.#config = config;
    this.#logger = logger;
    this.#names = logNames(config.logName);
    this.#listener = listener;
  }

  /** The lowest sequence held; `head + 1` if there is none. */
  get oldest(): number {
    return this.#entries[this.#offset]?.sequence ?? this.head + 1;
  }

  /** Whether there was a recent sign of a relay; otherwise the log may lack committed transactions. */
  get isFresh(): boolean {
    return Date.now() - this.#lastCommitted < silenceMilliseconds;
  }

  get isReady(): boolean {
    return this.#identity !== undefined && this.newerFormat === undefined;
  }

  /** Entries that had not been read when NATS was last asked, a second ago at most. */
  get lag(): number {
    return Math.max(0, this.#streamEnd - this.head);
  }

  /** Time since the last sign of a relay, or since the start if there was none. */
  get silenceSeconds(): number {
    return (Date.now() - Math.max(this.#lastCommitted, this.#startedAt)) / 1000;
  }

  /** Why events do not arrive, and what to do about it; undefined while they do. */
  get problem(): string | undefined {
    if (this.newerFormat) return this.newerFormat.message;
    if (this.#answer === "none")
      return "NATS does not respond: is nats-server running and reachable at SKEIN_NATS_URL, with JetStream enabled?";
    if (this.#answer === "no stream") return "the event log's stream does not exist: is a relay running?";
    if (Date.now() - Math.max(this.#lastCommitted, this.#startedAt) > noRelayMilliseconds)
      return "no relay is publishing events: is one running? Check its log";
    return undefined;
  }

  /** Starts even without NATS: messages can be sent, and events follow when NATS is available. */
  async start(): Promise<void> {
    this.#startedAt = Date.now();
    // A relay may begin another epoch at this moment; then the next check finds its stream.
    await this.#check({ mustFollow: true });
    this.#watch = setInterval(() => {
      void this.#check();
      this.#logProblem();
      this.#older.forgetUnused();
    }, watchMilliseconds);
  }

  async #connect(): Promise<LogConnection> {
    const log = await connectToLog(this.#config, { name: `${this.#config.nodeName} tail`, reconnect: true });
    if (this.#isStopped) await log.nats.close();
    else void this.#watchConnection(log);
    return (this.#log = log);
  }

  /** Logs a problem once, and once more when it is over. */
  #logProblem(): void {
    const { problem } = this;
    if (problem === undefined) {
      if (this.#loggedProblem !== undefined) this.#logger.info("the event log is available again");
      this.#problemSince = 0;
      this.#loggedProblem = undefined;
      return;
    }
    this.#problemSince ||= Date.now();
    if (problem === this.#loggedProblem || Date.now() - this.#problemSince < troubleMilliseconds) return;
    this.#loggedProblem = problem;
    this.#logger.error(`clients receive no events (messages are stored and will be delivered later): ${problem}`);
  }

  /** A request on a lost connection gets no response, and a consumer does not outlive its server. */
  async #watchConnection({ nats }: LogConnection): Promise<void> {
    this.#broken.promise.catch(() => undefined);
    for await (const { type } of nats.status()) {
      if (type === "disconnect") {
        this.#answer = "none";
        this.#broken.reject(new Error("the connection to NATS is lost"));
      } else if (type === "reconnect") {
        this.#broken = Promise.withResolvers();
        this.#broken.promise.catch(() => undefined);
        void this.#check({ mustFollow: true });
      }
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#watch);
    this.#messages?.stop();
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
    await this.#log?.nats.close();
  }

  /** Publishes an entry that does not belong to a transaction. */
  async publishTransient(parts: LogPart[]): Promise<LogPosition> {
    const { epoch, generation } = this;
    const texts = parts.map((part) => ({ events: part.e?.length ?? 0, json: Buffer.from(JSON.stringify(part)) }));
    const { seq } = await this.#connection.client.publish(
      this.#names.transient,
      writeEntry({ epoch, generation }, texts),
    );
    return { epoch, sequence: seq };
  }

  /** The entries in memory from `sequence` on. */
  *from(sequence: number): Iterable<LogEntry> {
    const first = Math.max(sequence, this.oldest);
    for (let at = this.#offset + (first - this.oldest); at < this.#entries.length; at++) {
      const entry = this.#entries[at];
      if (entry) yield entry;
    }
  }

  /** Recent entries, newest first: all that may contain a transaction that is not visible yet. */
  *recent(): Iterable<LogEntry> {
    const since = Date.now() - recentMilliseconds;
    for (let at = this.#entries.length - 1; at >= this.#offset; at--) {
      const entry = this.#entries[at];
      if (!entry || entry.receivedAt < since) return;
      yield entry;
    }
  }

  /** Entries that are not in memory, beginning with this one; undefined if the log no longer has them. */
  async readOlder(sequence: number): Promise<LogEntry[] | undefined> {
    return this.#older.from(sequence);
  }

  async #readOlder(first: number, count: number): Promise<LogEntry[] | undefined> {
    const identity = await findStream(this.#connection.manager, this.#names);
    if (!identity || identity.created !== this.#identity?.created) return undefined;
    const sequence = Math.max(first, identity.firstSequence);
    if (sequence >= first + count) return undefined;
    const entries: LogEntry[] = [];
    const batch = await this.#connection.manager.direct.getBatch(this.#names.stream, {
      seq: sequence,
      batch: first + count - sequence,
    });
    // A batch whose connection is lost in the middle would never end by itself.
    const timer = setTimeout(() => batch.stop(new Error("timeout while reading the event log")), olderMilliseconds);
    try {
      for await (const message of batch) {
        if (message.seq > this.head) continue;
        if (message.seq !== sequence + entries.length)
          throw new Error(`the event log lacks entry ${sequence + entries.length}`);
        entries.push(this.#entry(message.seq, message.subject === this.#names.committed, message.data));
      }
    } finally {
      clearTimeout(timer);
    }
    if (entries.length === 0) throw new Error(`the event log lacks entry ${sequence}`);
    return entries;
  }

  /**
   * Returns once this node has read everything that was in the stream when this was called. Calls that arrive while a
   * request to the stream is in flight share the next one.
   */
  async sync(): Promise<void> {
    if (this.#nextSync) return this.#nextSync;
    if (!this.#sync) return (this.#sync = this.#catchUp().finally(() => (this.#sync = undefined)));
    const current = this.#sync;
    this.#nextSync = current
      .catch(() => undefined)
      .then(() => {
        this.#nextSync = undefined;
        return this.sync();
      });
    return this.#nextSync;
  }

  async #catchUp(): Promise<void> {
    if (this.newerFormat) throw this.newerFormat;
    const querying = this.#connection.manager.streams.info(this.#names.stream);
    await Promise.race([querying.then((info) => this.reached(info.state.last_seq)), this.#broken.promise]);
  }

  /** Checks at once whether the stream is still the one being read. */
  async refresh(): Promise<void> {
    await this.#check();
  }

  /** Returns once the entry with this sequence has been read. */
  async reached(sequence: number): Promise<void> {
    if (this.head >= sequence || this.#isStopped || this.newerFormat) return;
    await new Promise<void>((resolve) => this.#waiters.push({ sequence, resolve }));
  }

  get #connection(): LogConnection {
    if (!this.#log) throw new Error("NATS has not responded yet");
    return this.#log;
  }

  /** Starts reading: after the entries held if the stream is the same, otherwise from its recent past. */
  async #follow(): Promise<void> {
    if (this.#isFollowing || this.#isStopped) return;
    this.#isFollowing = true;
    try {
      this.#messages?.stop();
      this.#messages = undefined;
      const stream = await findStream(this.#connection.manager, this.#names);
      if (!stream) {
        this.#identity = undefined;
        return;
      }
      if (!this.#isSame(stream) || stream.lastSequence < this.head) await this.#startOver(stream);
      this.#identity = stream;
      this.generation = stream.generation;
      const consumer = await this.#connection.client.consumers.get(this.#names.stream, {
        opt_start_seq: this.head + 1,
        deliver_policy: DeliverPolicy.StartSequence,
      });
      this.#messages = await consumer.consume({
        max_messages: 2000,
        callback: (message) => {
          this.#receive(message.seq, message.subject === this.#names.committed, message.data);
        },
      });
      this.#lastProgress = Date.now();
    } finally {
      this.#isFollowing = false;
    }
  }

  async #startOver(stream: StreamIdentity): Promise<void> {
    this.#entries = [];
    this.#older.clear();
    this.#offset = 0;
    this.#bytes = 0;
    this.head = await this.#sequenceBeforeRecent(stream);
    this.confirmedSequence = 0;
    this.#hasRefused = false;
    this.newerFormat = undefined;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
    const isAnother = stream.epoch !== this.epoch || !belongsToStream(this, stream);
    this.epoch = stream.epoch;
    this.generation = stream.generation;
    if (isAnother) this.#listener.onEpoch(stream.epoch);
  }

  /** A stream stays the same when a relay adopts it from an earlier version and gives it a generation. */
  #isSame(stream: StreamIdentity): boolean {
    const known = this.#identity;
    return known?.created === stream.created && belongsToStream(known, stream);
  }

  /** Where reading begins on a fresh node, so that registrations find the recent past in memory. */
  async #sequenceBeforeRecent(stream: StreamIdentity): Promise<number> {
    if (stream.lastSequence === 0) return 0;
    const since = new Date(Date.now() - recentMilliseconds);
    const first = await this.#connection.manager.direct
      .getMessage(this.#names.stream, { start_time: since })
      .catch(() => null); // there is no entry that recent
    return first ? first.seq - 1 : stream.lastSequence;
  }

  #receive(sequence: number, isCommitted: boolean, data: Uint8Array): void {
    if (sequence <= this.head || this.#isStopped) return;
    if (sequence > this.head + 1 && this.head !== 0 && sequence > (this.#identity?.firstSequence ?? 0)) {
      this.#logger.warn({ sequence, head: this.head }, "found a gap in the event log; reading again");
      void this.#follow();
      return;
    }
    const entry = this.#entryOrStop(sequence, isCommitted, data);
    if (!entry) return;
    this.head = sequence;
    this.#lastProgress = Date.now();
    if (isCommitted && this.#isOurs(entry)) {
      this.#lastCommitted = Date.now();
      this.confirmedSequence = Math.max(this.confirmedSequence, entry.confirmed ?? 0);
    }
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    this.#forgetOld();
    this.#listener.onEntry(entry);
    this.#release();
  }

  /** Undefined if only a newer release can read it. Later entries may depend on this one, so reading ends here. */
  #entryOrStop(sequence: number, isCommitted: boolean, data: Uint8Array): LogEntry | undefined {
    try {
      return this.#entry(sequence, isCommitted, data);
    } catch (error) {
      if (!(error instanceof NewerFormat)) throw error;
      this.#messages?.stop();
      if (this.newerFormat) return undefined;
      this.newerFormat = error;
      for (const waiter of this.#waiters.splice(0)) waiter.resolve();
      this.#logger.error({ sequence }, `this node takes no more requests: ${error.message}`);
      this.#listener.onNewerFormat();
      return undefined;
    }
  }

  #isOurs(entry: LogEntry): boolean {
    return this.#identity !== undefined && belongsToStream(entry, this.#identity);
  }

  #entry(sequence: number, isCommitted: boolean, data: Uint8Array): LogEntry {
    const entry = this.#readEntry(sequence, isCommitted, data);
    if (this.#isOurs(entry) || entry.isUnreadable) return entry;
    this.#refuse(entry);
    return { ...entry, parts: [] };
  }

  #readEntry(sequence: number, isCommitted: boolean, data: Uint8Array): LogEntry {
    try {
      return readEntry(sequence, isCommitted, data);
    } catch (error) {
      if (error instanceof NewerFormat) throw error;
      const { epoch, generation } = this;
      const entry = {
        epoch,
        generation,
        confirmed: undefined,
        committedAt: undefined,
        traces: [],
        sequence,
        isCommitted,
      };
      return { ...entry, receivedAt: Date.now(), bytes: data.length, parts: [], isUnreadable: true };
    }
  }

  /** Logs an entry from a node or relay that has not noticed that a new epoch began. */
  #refuse({ sequence, epoch, generation, isCommitted }: LogEntry): void {
    this.#listener.onRefused();
    const level = this.#hasRefused ? "debug" : "warn";
    this.#hasRefused = true;
    this.#logger[level](
      { sequence, epoch, generation, is_committed: isCommitted, stream: this.#identity && { ...this.#identity } },
      "skipped an entry of the event log that belongs to another epoch or generation",
    );
    if (level === "warn") void this.#check();
  }

  #release(): void {
    if (this.#waiters.length === 0) return;
    const ready = this.#waiters.filter((waiter) => waiter.sequence <= this.head);
    if (ready.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => waiter.sequence > this.head);
    for (const waiter of ready) waiter.resolve();
  }

  #forgetOld(): void {
    const before = Date.now() - recentMilliseconds;
    for (;;) {
      const entry = this.#entries[this.#offset];
      if (!entry || this.#bytes <= this.#config.tailBytes || entry.receivedAt > before) break;
      this.#bytes -= entry.bytes;
      this.#offset++;
    }
    if (this.#offset > 1024 && this.#offset > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#offset);
      this.#offset = 0;
    }
  }

  /** Detects a replaced stream and a consumer that no longer delivers. */
  async #check({ mustFollow = false } = {}): Promise<void> {
    if (this.#isStopped || this.#log?.nats.isClosed()) return;
    const { head } = this;
    try {
      const isFirst = this.#log === undefined;
      const { manager } = await (this.#connecting ??= this.#connect().catch((error: unknown) => {
        this.#connecting = undefined;
        throw error;
      }));
      const stream = await findStream(manager, this.#names);
      this.#answer = stream ? "ok" : "no stream";
      this.#respondedAt = Date.now();
      if (!stream) {
        this.#identity = undefined;
        return;
      }
      this.#streamEnd = stream.lastSequence;
      const isStuck = stream.lastSequence > this.head && Date.now() - this.#lastProgress > stuckMilliseconds;
      const isOther = !this.#isSame(stream) || stream.lastSequence < head;
      const canRead = this.newerFormat === undefined;
      if (isOther || (isStuck && canRead) || mustFollow || isFirst) await this.#follow();
      else {
        this.#identity = stream;
        this.generation = stream.generation;
      }
    } catch (error) {
      this.#answer = "none";
      if (this.#isStopped) return;
      this.#logger.debug({ err: error }, "the event log is unreachable");
      await this.#moveAway();
    }
  }

  /** A server that is cut off from its cluster keeps its clients, but cannot respond for the stream. */
  async #moveAway(): Promise<void> {
    const log = this.#log;
    if (!log || !isCluster(log) || Date.now() - this.#respondedAt < moveMilliseconds) return;
    this.#respondedAt = Date.now(); // gives the next server as much time
    this.#logger.info("NATS does not respond for the event log; connecting to another server of the cluster");
    await log.nats.reconnect().catch(() => undefined); // it is reconnecting already
  }
}
