/**
 * Reads committed transactions from the replication slot in commit order. It holds the slot, and with it the right to
 * publish, from `started` until it is closed or fails.
 *
 * The queue of parts to publish is bounded: while it exceeds 16 MiB nothing is read from the connection, so that
 * PostgreSQL keeps the rest of a long backlog on its disk.
 */
import type { Duplex } from "node:stream";
import { LogicalReplicationService, PgoutputPlugin, type Pgoutput } from "pg-logical-replication";
import { maxEventsPerEntry, prefix, readLsn, splitPayload, writeLsn, type RelayPosition } from "./log-format.ts";

export interface CommittedPart {
  /** Where the transaction's commit record begins. */
  lsn: bigint;
  /** How many parts of the transaction come before this one. */
  before: number;
  /** When the transaction committed, by PostgreSQL's clock, in milliseconds. */
  committedAt: number;
  events: number;
  json: Buffer;
}

/** The write-ahead log lacks the transactions that the event log was published from: they are from different histories. */
export class OtherHistory extends Error {
  override name = "OtherHistory";
}

/** Enough for many entries, so that publishing never waits for reading. */
const maxWaiting = 16 * 1024 ** 2;
/** Approximate memory overhead of a part, in addition to its text. */
const partOverhead = 300;
const weightOf = (part: CommittedPart) => part.json.length + partOverhead;

export class CommittedParts {
  readonly #replication: LogicalReplicationService;
  #waiting: CommittedPart[] = [];
  #waitingBytes = 0;
  readonly #maxWaitingBytes: number;
  #isPaused = false;
  #covered: RelayPosition = { lsn: 0n, parts: 0 };
  /** Published earlier and expected again; seeing it proves that the event log is from the same history. */
  #unseen: RelayPosition | undefined;
  #transaction = { lsn: 0n, parts: 0, committedAt: 0 };
  #lastCommit = 0n;
  #lastTaken = 0n;
  #walEnd = 0n;
  #confirmed = 0n;
  #mustReply = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(connection: { databaseUrl: string; name: string }, { maxWaitingBytes = maxWaiting } = {}) {
    this.#maxWaitingBytes = maxWaitingBytes;
    this.#replication = new LogicalReplicationService(
      { connectionString: connection.databaseUrl, application_name: connection.name },
      // We confirm ourselves: the library would confirm everything it has received.
      { acknowledge: { auto: false, timeoutSeconds: 0 } },
    );
    this.#replication.on("error", (error: Error) => this.fail(error));
    this.#replication.on("data", (_lsn: string, message: Pgoutput.Message) => this.#receive(message));
    this.#replication.on("heartbeat", (lsn: string, _time: number, shouldReply: boolean) => {
      this.#walEnd = readLsn(lsn);
      this.#demandSeen(this.#walEnd);
      this.#mustReply ||= shouldReply;
      if (shouldReply) this.#notify();
    });
  }

  /** Returns when we hold the slot; throws PostgreSQL's error while another process holds it. */
  async start(slot: string): Promise<void> {
    const started = new Promise<void>((resolve) => this.#replication.once("start", () => resolve()));
    const plugin = new PgoutputPlugin({ protoVersion: 1, publicationNames: ["skein"], messages: true });
    const ended = this.#replication.subscribe(plugin, slot).then(
      () => this.fail(new Error("PostgreSQL ended the replication")),
      (error: Error) => this.fail(error),
    );
    await Promise.race([started, ended]);
    this.throwFailure();
  }

  async close(): Promise<void> {
    await this.#replication.destroy();
  }

  /** Ends the replication; pending and later calls throw this error. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#notify();
  }

  /**
   * Skips parts that the log already contains. PostgreSQL sends those after `confirmed`, the slot's position when it was
   * acquired, again; if it does not, the log was published from another history.
   */
  skip(covered: RelayPosition, confirmed: bigint): void {
    this.#confirmed = confirmed;
    this.#covered = covered;
    if (covered.lsn > 0n && covered.lsn >= confirmed) this.#unseen = covered;
    for (const part of this.#waiting) this.#see(part);
    this.#waiting = this.#waiting.filter((part) => !this.#isCovered(part));
    this.#waitingBytes = this.#waiting.reduce((sum, part) => sum + weightOf(part), 0);
    this.#demandSeen(this.#walEnd);
    this.#flow();
  }

  /** The memory used by parts that wait to be published. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** As many parts as fit into an entry of this length, at least one; none if nothing is waiting. */
  take(maxLength: number): CommittedPart[] {
    this.throwFailure();
    let [count, events, length] = [0, 0, 0];
    for (const part of this.#waiting) {
      events += part.events;
      length += part.json.length;
      if (count > 0 && (events > maxEventsPerEntry || length > maxLength)) break;
      count++;
    }
    const taken = this.#waiting.splice(0, count);
    for (const part of taken) this.#waitingBytes -= weightOf(part);
    this.#flow();
    this.#lastTaken = taken.at(-1)?.lsn ?? this.#lastTaken;
    return taken;
  }

  /** Returns when a part is waiting, PostgreSQL wants a reply, or the time is over. */
  async arrival(milliseconds: number): Promise<void> {
    if (this.#waiting.length > 0 || this.#failure || this.#mustReply) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  /** Ends the wait for an arrival. */
  wake(): void {
    this.#notify();
  }

  /** Whether PostgreSQL asked for our position, to check that we are alive. */
  get mustReply(): boolean {
    return this.#mustReply;
  }

  /**
   * The position up to which everything has been taken, at least the one confirmed before. A commit record can begin where
   * the previous one ends, so a transaction is confirmed by the start of its record plus one. A transaction with waiting
   * parts is not confirmed.
   */
  get takenUpTo(): bigint {
    const upTo = this.#allTakenUpTo();
    return upTo > this.#confirmed ? upTo : this.#confirmed;
  }

  #allTakenUpTo(): bigint {
    if (this.#unseen) return 0n;
    const [next] = this.#waiting;
    if (next) return this.#lastTaken < next.lsn ? this.#lastTaken + 1n : 0n;
    return this.#lastCommit >= this.#walEnd ? this.#lastCommit + 1n : this.#walEnd;
  }

  /** Everything up to this position is published, so PostgreSQL may discard it. */
  async confirm(upTo: bigint): Promise<void> {
    if (upTo > this.#confirmed) this.#confirmed = upTo;
    await this.reply();
  }

  /** Repeats the last confirmation. */
  async reply(): Promise<void> {
    this.#mustReply = false;
    // The library adds one to this position.
    if (this.#confirmed > 0n) await this.#replication.acknowledge(writeLsn(this.#confirmed - 1n));
  }

  /** Keeps the slot while nothing is taken. Throws when the connection was lost. */
  async keepAlive(): Promise<void> {
    this.throwFailure();
    if (this.#mustReply) await this.reply();
  }

  #receive(message: Pgoutput.Message): void {
    if (message.tag === "begin")
      this.#transaction = {
        lsn: readLsn(message.commitLsn ?? "0/0"),
        parts: 0,
        committedAt: Number(message.commitTime) / 1000,
      };
    else if (message.tag === "message" && message.prefix === prefix) {
      // A copy, because the data is a view of the connection's buffer, which the next message overwrites.
      const { events, json } = splitPayload(Buffer.from(message.content));
      const { lsn, committedAt } = this.#transaction;
      const part = { lsn, before: this.#transaction.parts++, committedAt, events, json };
      this.#see(part);
      if (this.#isCovered(part)) return;
      this.#waiting.push(part);
      this.#waitingBytes += weightOf(part);
      this.#flow();
    } else if (message.tag === "commit") {
      this.#lastCommit = this.#transaction.lsn;
      this.#notify();
    }
  }

  #isCovered({ lsn, before }: CommittedPart): boolean {
    return lsn < this.#covered.lsn || (lsn === this.#covered.lsn && before < this.#covered.parts);
  }

  #see({ lsn, before }: CommittedPart): void {
    if (this.#unseen?.lsn === lsn && this.#unseen.parts === before + 1) this.#unseen = undefined;
    this.#demandSeen(lsn);
  }

  /** Everything up to this position has been read, so it must include what the log contains. */
  #demandSeen(upTo: bigint): void {
    if (this.#unseen && upTo > this.#unseen.lsn)
      this.fail(
        new OtherHistory(`its newest transaction, at ${writeLsn(this.#unseen.lsn)}, is not in this database's history`),
      );
  }

  /** Stops reading while too much is waiting. */
  #flow(): void {
    const shouldPause = this.#waitingBytes > (this.#isPaused ? this.#maxWaitingBytes / 2 : this.#maxWaitingBytes);
    if (shouldPause === this.#isPaused) return;
    this.#isPaused = shouldPause;
    // The library can only delay messages it has already read, and keepalives would then overtake them.
    const { _connection } = this.#replication as unknown as { _connection: { stream: Duplex } | null };
    if (shouldPause) {
      _connection?.stream.pause();
      this.#notify(); // the commit that usually does so may not have been read yet
    } else _connection?.stream.resume();
  }

  /** Throws the error that ended the connection, if there was one. */
  throwFailure(): void {
    if (this.#failure) throw this.#failure;
  }

  #notify(): void {
    this.#wake?.();
  }
}
