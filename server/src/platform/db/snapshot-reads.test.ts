import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm } from "../../../test/realm.ts";
import type { Db } from "./connect.ts";
import { inSnapshot } from "./snapshot-reads.ts";

const connectionOf = async (db: Db): Promise<{ pid: number; at: string }> => {
  const { rows } = await sql<{ pid: number; at: string }>`
    select pg_backend_pid() as pid, pg_current_snapshot()::text as at`.execute(db);
  const [row] = rows;
  if (!row) throw new Error("the statement returns one row");
  return row;
};

test("reads of one snapshot that begin together see the same, on one connection", async () => {
  const { ctx } = await newRealm();

  const seen = await inSnapshot(ctx.db, (db) => Promise.all(Array.from({ length: 20 }, () => connectionOf(db))));

  expect(seen).toHaveLength(20);
  expect(new Set(seen.map(({ pid, at }) => `${pid} ${at}`)).size).toBe(1);
});

test("a snapshot in which a read has failed is not committed, even if nobody waited for that read", async () => {
  const { ctx } = await newRealm();

  const failed = inSnapshot(ctx.db, async (db) => {
    const unnoticed = sql`select 1 / 0`.execute(db);
    await unnoticed.catch(() => undefined);
    return "done";
  });

  await expect(failed).rejects.toThrow("the snapshot's transaction was rolled back");
});

test("after a read has failed, the others of its snapshot fail too, and the connection serves the next one", async () => {
  const { ctx } = await newRealm();
  let left: Db | undefined;

  const failed = inSnapshot(ctx.db, async (db) => {
    left = db;
    await Promise.all([sql`select 1 / 0`.execute(db), connectionOf(db)]);
  });

  await expect(failed).rejects.toThrow("division by zero");
  if (!left) throw new Error("the work has begun");
  await expect(connectionOf(left)).rejects.toThrow("the snapshot's transaction is over");
  const next = await Promise.all(
    Array.from({ length: 8 }, () => inSnapshot(ctx.db, async (db) => (await connectionOf(db)).pid)),
  );
  expect(next).toHaveLength(8);
});
