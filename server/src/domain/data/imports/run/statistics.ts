/**
 * Keeps up to date what PostgreSQL knows about the tables that an import fills. By itself it looks about once a minute, and an
 * import is faster: for that minute, everybody's sends would be planned as if there were hardly any topics, and read all of them.
 */
import { sql } from "kysely";
import type { Db } from "../../../../platform/db/connect.ts";
import type { Phase } from "./import-context.ts";

const filledBy: Partial<Record<Phase, readonly string[]>> = {
  people: ["users"],
  channels: ["conversations", "channels", "subscriptions", "participations"],
  topics: ["topics", "import_map"],
  messages: ["messages", "message_search", "message_flags", "reactions", "import_map"],
  "read state": ["user_topics"],
};

export class Statistics {
  readonly #db: Db;
  #phase: Phase | undefined;
  #batches = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  begin(phase: Phase): void {
    this.#phase = phase;
    this.#batches = 0;
  }

  /** After 1, 2, 4, 8 … batches, when a table may have doubled. */
  async afterBatch(): Promise<void> {
    this.#batches++;
    if (Number.isInteger(Math.log2(this.#batches))) await this.update();
  }

  /** A table that somebody else analyzes or vacuums at this moment is left to them. */
  async update(): Promise<void> {
    for (const table of (this.#phase && filledBy[this.#phase]) ?? [])
      await sql`analyze (skip_locked) ${sql.table(table)}`.execute(this.#db);
  }
}
