/** Work that no request waits for. Any number of workers may run; each task takes what no other has taken. */
import type { Context } from "../context.ts";
import { removeExpiredQueues } from "../events/queue-store.ts";
import { sql } from "kysely";

const everyMilliseconds = 10_000;

export class Worker {
  readonly #ctx: Context;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.#cleanUp());
    }, everyMilliseconds);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #cleanUp(): Promise<void> {
    const { db, logger } = this.#ctx;
    try {
      const removed = await removeExpiredQueues(db);
      if (removed > 0) logger.debug({ removed }, "removed expired event queues");
      await sql`delete from login_failures where at < now() - interval '1 day'`.execute(db);
    } catch (error) {
      logger.warn({ err: error }, "cleaning up failed; trying again later");
    }
  }
}
