/**
 * The newest part of the event log, once per node, in memory, for all its queues. Entries arrive in order without
 * gaps; whoever needs older ones reads them from the stream.
 *
 * **Invariant:** `head` is the sequence of the newest entry, and every entry from `oldest` to `head` is held.
 */
import { DeliverPolicy, type ConsumerMessages } from "@nats-io/jetstream";
import type { Config } from "../config.ts";
import type { Logger } from "../platform/log.ts";
import { readEntry, writeEntry, type LogEntry } from "./log-entry.ts";
import type { LogPart, LogPosition } from "./log-format.ts";
import {
  connectToLog,
  findStream,
  logNames,
  type LogConnection,
  type LogNames,
  type StreamIdentity,
} from "./stream.ts";

/** So long an entry is held at least: longer than any commit takes from being logged to being visible. */
export const recentMilliseconds = 60_000;
/** A relay that is alive is heard of every second. */
const silenceMilliseconds = 3000;
const watchMilliseconds = 1000;
const stuckMilliseconds = 3000;
const olderMilliseconds = 5000;

export interface TailListener {
  onEntry: (entry: LogEntry) => void;
  /** The log is another one: positions of the old one mean nothing any more. */
  onEpoch: (epoch: number) => void;
}

export class Tail {
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #names: LogNames;
  readonly #listener: TailListener;
  #log: LogConnection | undefined;
  #messages: ConsumerMessages | undefined;
  #identity: StreamIdentity | undefined;
  #entries: LogEntry[] = [];
  #offset = 0;
  #bytes = 0;
  #watch: NodeJS.Timeout | undefined;
  #isFollowing = false;
  #isStopped = false;
  #lastProgress = 0;
  #lastCommitted = 0;
  #waiters: { sequence: number; resolve: () => void }[] = [];
  #sync: Promise<void> | undefined;
  #nextSync: Promise<void> | undefined;
  /** Rejected when the connection to NATS breaks; another one when it is there again. */
  #broken = Promise.withResolvers<never>();
  head = 0;
  epoch = 0;

  constructor(config: Config, logger: Logger, listener: TailListener) {
    this.#config = config;
    this.#logger = logger;
    this.#names = logNames(config.logName);
    this.#listener = listener;
  }

  /** The lowest sequence held; `head + 1` when none is. */
  get oldest(): number {
    return this.#entries[this.#offset]?.sequence ?? this.head + 1;
  }

  /** Whether a relay was heard of just now; otherwise the log may lack what has been committed. */
  get isFresh(): boolean {
    return Date.now() - this.#lastCommitted < silenceMilliseconds;
  }

  get isReady(): boolean {
    return this.#identity !== undefined;
  }

  async start(): Promise<void> {
    this.#log = await connectToLog(this.#config, { name: `${this.#config.nodeName} tail`, reconnect: true });
    void this.#watchConnection(this.#log);
    // A relay may begin another epoch at this very moment; then the next look finds its stream.
    await this.#check({ mustFollow: true });
    this.#watch = setInterval(() => void this.#check(), watchMilliseconds);
  }

  /** A question asked on a broken connection is answered by nobody, and a consumer does not outlive its server. */
  async #watchConnection({ nats }: LogConnection): Promise<void> {
    this.#broken.promise.catch(() => undefined);
    for await (const { type } of nats.status()) {
      if (type === "disconnect") this.#broken.reject(new Error("the connection to NATS is broken"));
      else if (type === "reconnect") {
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

  /** One entry that no transaction stands behind. */
  async publishFleeting(parts: LogPart[]): Promise<LogPosition> {
    const { epoch } = this;
    const texts = parts.map((part) => ({ events: part.e?.length ?? 0, json: Buffer.from(JSON.stringify(part)) }));
    const { seq } = await this.#connection.client.publish(this.#names.fleeting, writeEntry(epoch, texts));
    return { epoch, sequence: seq };
  }

  /** Entries from `sequence` on, as far as they are in memory. */
  *from(sequence: number): Iterable<LogEntry> {
    const first = Math.max(sequence, this.oldest);
    for (let at = this.#offset + (first - this.oldest); at < this.#entries.length; at++) {
      const entry = this.#entries[at];
      if (entry) yield entry;
    }
  }

  /** Recent entries, newest first: all that may hold a transaction which is not visible yet. */
  *recent(): Iterable<LogEntry> {
    const since = Date.now() - recentMilliseconds;
    for (let at = this.#entries.length - 1; at >= this.#offset; at--) {
      const entry = this.#entries[at];
      if (!entry || entry.receivedAt < since) return;
      yield entry;
    }
  }

  /** Entries older than what is in memory; undefined when the log no longer has them. */
  async readOlder(sequence: number, count: number): Promise<LogEntry[] | undefined> {
    const identity = await findStream(this.#connection.manager, this.#names);
    if (!identity || identity.created !== this.#identity?.created || identity.firstSequence > sequence)
      return undefined;
    const entries: LogEntry[] = [];
    const batch = await this.#connection.manager.direct.getBatch(this.#names.stream, { seq: sequence, batch: count });
    // A batch whose connection breaks in the middle would never end by itself.
    const timer = setTimeout(() => batch.stop(new Error("the event log does not answer")), olderMilliseconds);
    try {
      for await (const message of batch) {
        if (message.seq > this.head) continue;
        if (message.seq !== sequence + entries.length)
          throw new Error(`the event log lacks ${sequence + entries.length}`);
        entries.push(readEntry(message.seq, message.subject === this.#names.committed, message.data));
      }
    } finally {
      clearTimeout(timer);
    }
    if (entries.length === 0) throw new Error(`the event log lacks ${sequence}`);
    return entries;
  }

  /**
   * Returns once this node has read everything that was in the stream when this was called. Calls that arrive while a
   * question to the stream is under way share the next one.
   */
  async sync(): Promise<void> {
    if (this.#nextSync) return this.#nextSync;
    if (!this.#sync) return (this.#sync = this.#askAndWait().finally(() => (this.#sync = undefined)));
    const current = this.#sync;
    this.#nextSync = current
      .catch(() => undefined)
      .then(() => {
        this.#nextSync = undefined;
        return this.sync();
      });
    return this.#nextSync;
  }

  async #askAndWait(): Promise<void> {
    const asked = this.#connection.manager.streams.info(this.#names.stream);
    await Promise.race([asked.then((info) => this.reached(info.state.last_seq)), this.#broken.promise]);
  }

  /** Looks at once whether the stream is still the one being read. */
  async refresh(): Promise<void> {
    await this.#check();
  }

  /** Returns once the entry with this sequence has been read. */
  async reached(sequence: number): Promise<void> {
    if (this.head >= sequence || this.#isStopped) return;
    await new Promise<void>((resolve) => this.#waiters.push({ sequence, resolve }));
  }

  get #connection(): LogConnection {
    if (!this.#log) throw new Error("the tail has not been started");
    return this.#log;
  }

  /** Starts reading: after what is held when the stream is the same one, else from its recent past. */
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
      const isSame = this.#identity?.created === stream.created && stream.lastSequence >= this.head;
      if (!isSame) await this.#startOver(stream);
      this.#identity = stream;
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
    this.#offset = 0;
    this.#bytes = 0;
    this.head = await this.#sequenceBeforeRecent(stream);
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
    this.#setEpoch(stream.epoch);
  }

  /** Where reading begins on a fresh node, so that registrations find the recent past in memory. */
  async #sequenceBeforeRecent(stream: StreamIdentity): Promise<number> {
    if (stream.lastSequence === 0) return 0;
    const since = new Date(Date.now() - recentMilliseconds);
    const first = await this.#connection.manager.direct
      .getMessage(this.#names.stream, { start_time: since })
      .catch(() => null); // nothing that young
    return first ? first.seq - 1 : stream.lastSequence;
  }

  #setEpoch(epoch: number): void {
    if (epoch === this.epoch) return;
    this.epoch = epoch;
    this.#listener.onEpoch(epoch);
  }

  #receive(sequence: number, isCommitted: boolean, data: Uint8Array): void {
    if (sequence <= this.head || this.#isStopped) return;
    if (sequence > this.head + 1 && this.head !== 0 && sequence > (this.#identity?.firstSequence ?? 0)) {
      this.#logger.warn({ sequence, head: this.head }, "a gap in the event log, reading again");
      void this.#follow();
      return;
    }
    const entry = readEntry(sequence, isCommitted, data);
    this.head = sequence;
    this.#lastProgress = Date.now();
    if (isCommitted) {
      this.#lastCommitted = Date.now();
      this.#setEpoch(entry.epoch);
    }
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    this.#forgetOld();
    this.#listener.onEntry(entry);
    this.#release();
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

  /** Notices a stream that was replaced, and a consumer that no longer delivers. */
  async #check({ mustFollow = false } = {}): Promise<void> {
    if (this.#isStopped || this.#connection.nats.isClosed()) return;
    try {
      const stream = await findStream(this.#connection.manager, this.#names);
      if (!stream) {
        this.#identity = undefined;
        return;
      }
      const isOther = this.#identity?.created !== stream.created;
      const isStuck = stream.lastSequence > this.head && Date.now() - this.#lastProgress > stuckMilliseconds;
      if (isOther || isStuck || mustFollow) await this.#follow();
      else if (stream.epoch !== this.epoch) this.#setEpoch(stream.epoch);
    } catch (error) {
      if (!this.#isStopped) this.#logger.debug({ err: error }, "the event log is out of reach");
    }
  }
}
