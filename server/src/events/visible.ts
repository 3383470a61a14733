/**
 * Waits until committed transactions are visible to everybody. PostgreSQL sends a transaction to the relay once it is in the
 * write-ahead log, a moment before others can read what it wrote; with synchronous standbys, that moment lasts until they
 * have responded. Published too early, an event would tell clients of a message that they cannot fetch or react to yet.
 */
import pg from "pg";
import { isVisible, parseSnapshot, type Snapshot } from "./snapshot.ts";

/** Commits can hang, for example while a synchronous standby is gone. The log goes on, or nodes would stop trusting it. */
export const maxHiddenMilliseconds = 2000;
const pauseMilliseconds = 1;
/** Without an answer the relay would wait for ever, and could not even be stopped. */
const answerMilliseconds = 10_000;

export class VisibleTransactions {
  readonly #connection: pg.Client;
  #snapshot: Snapshot = { xmin: 0, xmax: 0, running: new Set() };

  constructor({ databaseUrl, name }: { databaseUrl: string; name: string }, onLost: (error: Error) => void) {
    this.#connection = new pg.Client({
      connectionString: databaseUrl,
      application_name: name,
      connectionTimeoutMillis: answerMilliseconds,
      query_timeout: answerMilliseconds,
    });
    this.#connection.on("error", onLost);
  }

  async start(): Promise<void> {
    await this.#connection.connect();
  }

  async close(): Promise<void> {
    await this.#connection.end();
  }

  /** Returns when all of these transactions are visible, or when waiting any longer would hold up the log. */
  async wait(xids: readonly number[]): Promise<void> {
    const until = Date.now() + maxHiddenMilliseconds;
    for (let attempt = 0; !xids.every((xid) => isVisible(this.#snapshot, xid)); attempt++) {
      if (Date.now() > until) return;
      if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    const { rows } = await this.#connection.query<{ snapshot: string }>({
      name: "visible",
      text: "select pg_current_snapshot()::text as snapshot",
    });
    this.#snapshot = parseSnapshot(rows[0]?.snapshot ?? "");
  }
}
