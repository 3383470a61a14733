/**
 * What has committed, read from the replication slot in commit order. Holds the slot, and with it the right to publish,
 * from `started` until it is closed or broken.
 */
import { LogicalReplicationService, PgoutputPlugin, type Pgoutput } from "pg-logical-replication";
import { maxEventsPerEntry, prefix, readLsn, splitPayload, writeLsn, type RelayPosition } from "./log-format.ts";

export interface CommittedPart {
  /** Where the transaction's commit record begins. */
  lsn: bigint;
  /** How many parts of the transaction come before this one. */
  before: number;
  events: number;
  json: Uint8Array;
}

export class CommittedParts {
  readonly #replication: LogicalReplicationService;
  #waiting: CommittedPart[] = [];
  #covered: RelayPosition = { lsn: 0n, parts: 0 };
  #transaction = { lsn: 0n, parts: 0 };
  #lastCommit = 0n;
  #lastTaken = 0n;
  #walEnd = 0n;
  #confirmed = 0n;
  #mustReply = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(connection: { databaseUrl: string; name: string }) {
    this.#replication = new LogicalReplicationService(
      { connectionString: connection.databaseUrl, application_name: connection.name },
      // Confirmations are ours alone: the library's own would confirm what has only been received.
      { acknowledge: { auto: false, timeoutSeconds: 0 } },
    );
    this.#replication.on("error", (error: Error) => this.fail(error));
    this.#replication.on("data", (_lsn: string, message: Pgoutput.Message) => this.#receive(message));
    this.#replication.on("heartbeat", (lsn: string, _time: number, shouldReply: boolean) => {
      this.#walEnd = readLsn(lsn);
      this.#mustReply ||= shouldReply;
      if (shouldReply) this.#notify();
    });
  }

  /** Returns when the slot is ours; throws as PostgreSQL does while it is another's. */
  async start(slot: string): Promise<void> {
    const started = new Promise<void>((resolve) => this.#replication.once("start", () => resolve()));
    const plugin = new PgoutputPlugin({ protoVersion: 1, publicationNames: ["skein"], messages: true });
    const ended = this.#replication.subscribe(plugin, slot).then(
      () => this.fail(new Error("PostgreSQL ended the replication")),
      (error: Error) => this.fail(error),
    );
    await Promise.race([started, ended]);
    this.#throwFailure();
  }

  async close(): Promise<void> {
    await this.#replication.destroy();
  }

  /** Ends the tenure: whoever waits or takes is thrown this. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#notify();
  }

  /** What the log has already is not given out. */
  skip(covered: RelayPosition): void {
    this.#covered = covered;
    this.#waiting = this.#waiting.filter((part) => !this.#isCovered(part));
  }

  /** As many parts as fit one entry of this length, and at least one; none when nothing waits. */
  take(maxLength: number): CommittedPart[] {
    this.#throwFailure();
    let [count, events, length] = [0, 0, 0];
    for (const part of this.#waiting) {
      events += part.events;
      length += part.json.length;
      if (count > 0 && (events > maxEventsPerEntry || length > maxLength)) break;
      count++;
    }
    const taken = this.#waiting.splice(0, count);
    this.#lastTaken = taken.at(-1)?.lsn ?? this.#lastTaken;
    return taken;
  }

  /** Returns when something waits or is to be replied to, or the time is over. */
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

  /** Whether PostgreSQL wants to hear how far we are, lest it think us gone. */
  get mustReply(): boolean {
    return this.#mustReply;
  }

  /**
   * How far everything has been taken. Commit records can begin where the one before ends, so a transaction is confirmed
   * by the beginning of its record, plus one. A transaction of which parts still wait is not.
   */
  get takenUpTo(): bigint {
    const [next] = this.#waiting;
    if (next) return this.#lastTaken < next.lsn ? this.#lastTaken + 1n : 0n;
    return this.#lastCommit >= this.#walEnd ? this.#lastCommit + 1n : this.#walEnd;
  }

  /** Everything up to there is safe elsewhere: PostgreSQL may let it go. */
  async confirm(upTo: bigint): Promise<void> {
    if (upTo > this.#confirmed) this.#confirmed = upTo;
    await this.reply();
  }

  /** Says again how far we are. */
  async reply(): Promise<void> {
    this.#mustReply = false;
    // The library adds one to what it is given.
    if (this.#confirmed > 0n) await this.#replication.acknowledge(writeLsn(this.#confirmed - 1n));
  }

  #receive(message: Pgoutput.Message): void {
    if (message.tag === "begin") this.#transaction = { lsn: readLsn(message.commitLsn ?? "0/0"), parts: 0 };
    else if (message.tag === "message" && message.prefix === prefix) {
      // A copy: what arrives is a view of the connection's buffer, which the next message overwrites.
      const { events, json } = splitPayload(Buffer.from(message.content));
      const part = { lsn: this.#transaction.lsn, before: this.#transaction.parts++, events, json };
      if (!this.#isCovered(part)) this.#waiting.push(part);
    } else if (message.tag === "commit") {
      this.#lastCommit = this.#transaction.lsn;
      this.#notify();
    }
  }

  #isCovered({ lsn, before }: CommittedPart): boolean {
    return lsn < this.#covered.lsn || (lsn === this.#covered.lsn && before < this.#covered.parts);
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure;
  }

  #notify(): void {
    this.#wake?.();
  }
}
