/**
 * Checks whether PostgreSQL is available to this process. It uses a connection of the pool, as requests do; if none is free in
 * time, a separate connection distinguishes a busy pool from a database that is down.
 */
import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import pg from "pg";
import type { Db } from "./connect.ts";

export type DatabaseState = "ok" | "busy" | "down";

const timeoutMilliseconds = 2000;

export class DatabaseProbe {
  readonly #db: Db;
  readonly #url: string;
  /** At most one check waits for the pool, however many health requests there are. */
  #pending: Promise<boolean> | undefined;

  constructor(db: Db, url: string) {
    this.#db = db;
    this.#url = url;
  }

  async check(): Promise<DatabaseState> {
    this.#pending ??= this.#queryPool().finally(() => (this.#pending = undefined));
    const isOk = await Promise.race([this.#pending, wait(timeoutMilliseconds, false, { ref: false })]);
    if (isOk) return "ok";
    return (await this.#canConnect()) ? "busy" : "down";
  }

  #queryPool(): Promise<boolean> {
    return sql`select`.execute(this.#db).then(
      () => true,
      () => false,
    );
  }

  async #canConnect(): Promise<boolean> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: "skein health",
      connectionTimeoutMillis: timeoutMilliseconds,
      query_timeout: timeoutMilliseconds,
    });
    client.on("error", () => undefined); // the next statement fails with it
    try {
      await client.connect();
      await client.query("select");
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
