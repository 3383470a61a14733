/**
 * A backfill changes the existing rows of a table after a migration, in small batches, while the server runs. The
 * migration stores it in `schema_backfills`; workers run it as a job (jobs/backfill.ts).
 *
 * **Invariant:** a batch and the checkpoint after it commit together, under a lock on the backfill's row. So a worker can be
 * killed at any point, two workers never change the same rows, and every row is covered once.
 *
 * It covers the rows that exist when it begins. Rows that are written later, by either release, have to be complete: by a
 * default or a trigger that the same migration adds.
 */
import { sql, type RawBuilder } from "kysely";
import type pg from "pg";
import type { BackfillFile } from "./migration-files.ts";
import type { Tx } from "./transaction.ts";

/** Stores a backfill. In a new database there is nothing to change. */
export async function storeBackfill(
  client: pg.Client,
  { name, table, key, statement }: BackfillFile,
  { isFirstInstall }: { isFirstInstall: boolean },
): Promise<void> {
  await client.query(
    `insert into schema_backfills (name, table_name, key_column, statement, finished_at)
     values ($1, $2, $3, $4, case when $5 then now() end) on conflict (name) do nothing`,
    [name, table, key, statement, isFirstInstall],
  );
}

export interface BackfillState {
  name: string;
  table: string;
  changedRows: number;
  /** From 0 to 1, by position in the order of keys. */
  progress: number;
  finishedAt: string | null;
  /** Why the last attempt failed. */
  problem: string | null;
}

/** All backfills, in the order of their migrations; none before the table exists. */
export async function listBackfills(client: pg.ClientBase): Promise<BackfillState[]> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    "select to_regclass('schema_backfills') is not null as there",
  );
  if (!tables[0]?.there) return [];
  const { rows } = await client.query<{
    name: string;
    table_name: string;
    changed_rows: string;
    progress: number;
    finished_at: Date | null;
    problem: string | null;
  }>(`
    select name, table_name, changed_rows, finished_at, problem,
      case when finished_at is not null then 1 when checkpoint is null or target is null then 0
        else (checkpoint - first_key + 1)::float8 / greatest(1, target - first_key + 1) end as progress
    from schema_backfills order by name`);
  return rows.map((row) => ({
    name: row.name,
    table: row.table_name,
    changedRows: Number(row.changed_rows),
    progress: row.progress,
    finishedAt: row.finished_at?.toISOString() ?? null,
    problem: row.problem,
  }));
}

/** Names of backfills that a worker has to do. */
export async function listUnfinished(tx: Tx): Promise<string[]> {
  const rows = await tx.selectFrom("schema_backfills").select("name").where("finished_at", "is", null).execute();
  return rows.map(({ name }) => name);
}

/** Does the next batch. Returns "busy" while another worker does one. */
export async function runBatch(tx: Tx, name: string, rowsPerBatch: number): Promise<"more" | "finished" | "busy"> {
  const found = await tx
    .selectFrom("schema_backfills")
    .selectAll()
    .where("name", "=", name)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!found) return "busy";
  if (found.finished_at !== null) return "finished";
  const [table, key] = [sql.table(found.table_name), sql.ref(found.key_column)];
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select coalesce(${found.first_key}::bigint, (select min(${key}) from ${table})) as first,
      coalesce(${found.target}::bigint, (select max(${key}) from ${table})) as last`.execute(tx);
  const { first = null, last = null } = rows[0] ?? {};
  const after = found.checkpoint ?? (first === null ? null : first - 1);
  const upTo = after === null ? null : await endOfBatch(tx, sql`${table}`, sql`${key}`, { after, last, rowsPerBatch });
  const isFinished = after === null || upTo === null;
  const changed = isFinished ? 0 : await execute(tx, found.statement, after, upTo);
  await tx
    .updateTable("schema_backfills")
    .set({
      first_key: first,
      target: last,
      ...(isFinished ? { finished_at: sql`now()` } : { checkpoint: upTo }),
      changed_rows: sql`changed_rows + ${changed}`,
      updated_at: sql`now()`,
      problem: null,
    })
    .where("name", "=", name)
    .execute();
  return isFinished ? "finished" : "more";
}

/** The key of the batch's last row; null if no rows are left. */
async function endOfBatch(
  tx: Tx,
  table: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
  { after, last, rowsPerBatch }: { after: number; last: number | null; rowsPerBatch: number },
): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`
    select max(key) as last from (
      select ${key} as key from ${table} where ${key} > ${after} and ${key} <= ${last}
      order by ${key} limit ${rowsPerBatch}) as batch`.execute(tx);
  return rows[0]?.last ?? null;
}

/** Returns the number of changed rows. */
async function execute(tx: Tx, statement: string, after: number, upTo: number): Promise<number> {
  // Integers that were read from the database, so they can be written into the text.
  const text = statement.replaceAll("$1", `(${after})::bigint`).replaceAll("$2", `(${upTo})::bigint`);
  const { numAffectedRows = 0n } = await sql.raw(text).execute(tx);
  return Number(numAffectedRows);
}

export async function noteProblem(tx: Tx, name: string, problem: string): Promise<void> {
  await tx
    .updateTable("schema_backfills")
    .set({ problem, updated_at: sql`now()` })
    .where("name", "=", name)
    .execute();
}
