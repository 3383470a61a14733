/**
 * One REPEATABLE READ transaction whose statements need not wait for each other: those that begin before the results of earlier ones
 * have arrived are sent all the same, and PostgreSQL executes them one after another. A registration consists of dozens of short
 * statements, and most of what each of them costs is the wait.
 */
import type { Writable } from "node:stream";
import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";
import { registrationPool, type Db } from "./connect.ts";
import type { Schema } from "./schema.ts";

/** On the connections for registrations. `work` may leave reads unfinished only if it throws. */
export async function inSnapshot<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  const client = await registrationPool(db).connect();
  let isOver = false;
  const shared = {
    query: (...args: unknown[]) => {
      // Another transaction may be using the connection.
      if (isOver) throw new Error("the snapshot's transaction is over");
      sendTogether(client);
      return (client.query as (...args: unknown[]) => unknown)(...args);
    },
    release: () => undefined,
  };
  const connections = { connect: async () => shared, end: async () => undefined };
  const reads = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: connections as unknown as pg.Pool }), // as much of it as Kysely uses
  });
  try {
    await client.query("begin isolation level repeatable read");
    const result = await work(reads);
    isOver = true;
    const { command } = await client.query("commit");
    // A read may have failed whose result nobody waited for any more.
    if (command !== "COMMIT") throw new Error("the snapshot's transaction was rolled back");
    client.release();
    return result;
  } catch (error) {
    isOver = true;
    // A connection that cannot be rolled back is not used again.
    client.release(
      await client.query("rollback").then(
        () => false,
        () => true,
      ),
    );
    throw error;
  }
}

/** Those that begin in the same tick go to PostgreSQL in one system call, which would take longer for each of them than the rest. */
function sendTogether(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection; // not in its types
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
