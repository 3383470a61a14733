/**
 * Runs the statements of a migration outside of a transaction, one by one. They are such that they can be run again after a
 * failure (the lint in migration-lint.ts sees to it): an index that was not completed is invalid, and is dropped and built
 * anew; a valid one is left alone.
 */
import pg from "pg";
import type { Migration } from "./migration-files.ts";
import { lockMilliseconds, type Waiting } from "./migration-locks.ts";
import { splitStatements, wordsOf } from "./sql-statements.ts";

const progressMilliseconds = 5000;

interface Watched extends Waiting {
  /** Of the database, to ask how far a statement is. */
  url: string;
}

export async function runConcurrently(client: pg.Client, { name, sql }: Migration, options: Watched): Promise<void> {
  for (const statement of splitStatements(sql)) {
    const index = createdIndex(statement);
    const found = index === undefined ? undefined : await findIndex(client, index);
    if (found === "valid") continue;
    if (found === "invalid") {
      options.onWait?.(`${name}: the index ${index} was not completed; building it again.`);
      await withProgress(client, name, options, `drop index concurrently ${index}`);
    }
    await withProgress(client, name, options, statement);
  }
}

/** The name of the index that a statement builds concurrently. */
export function createdIndex(statement: string): string | undefined {
  const words = wordsOf(statement);
  const at = words.indexOf("concurrently");
  if (words[0] !== "create" || at < 0 || !words.slice(1, at).includes("index")) return undefined;
  return words[at + 1] === "if" ? words[at + 4] : words[at + 1];
}

async function findIndex(client: pg.Client, name: string): Promise<"valid" | "invalid" | undefined> {
  const { rows } = await client.query<{ indisvalid: boolean }>(
    "select indisvalid from pg_index where indexrelid = to_regclass($1)",
    [name],
  );
  if (!rows[0]) return undefined;
  return rows[0].indisvalid ? "valid" : "invalid";
}

/** Nobody queues behind these statements while they wait for a lock, so they may wait; failing would undo what is built. */
async function withProgress(client: pg.Client, name: string, options: Watched, statement: string): Promise<void> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const watch = setInterval(() => void tellProgress(rows[0]?.pid ?? 0, name, options), progressMilliseconds);
  await client.query("set lock_timeout = 0");
  try {
    await client.query(statement);
  } finally {
    clearInterval(watch);
    // If the connection was lost, the statement's error says so.
    await client.query(`set lock_timeout = ${lockMilliseconds}`).catch(() => undefined);
  }
}

/** Asks on another connection, because the first one is busy. */
async function tellProgress(pid: number, name: string, { url, onProgress }: Watched): Promise<void> {
  if (!onProgress) return;
  const observer = new pg.Client({ connectionString: url, application_name: "skein migrate" });
  try {
    await observer.connect();
    const { rows } = await observer.query<{ text: string }>(
      `select format('%s on %s: %s, %s', command, relid::regclass, phase, case
          when nullif(blocks_total, 0) is not null then format('%s %%', 100 * blocks_done / blocks_total)
          when current_locker_pid <> 0 then format('waits for the transaction of process %s', current_locker_pid)
          else format('%s of %s transactions', lockers_done, lockers_total) end) as text
       from pg_stat_progress_create_index where pid = $1`,
      [pid],
    );
    onProgress(`${name}: ${rows[0]?.text ?? "running"}`);
  } catch {
    // The statement itself reports what is wrong.
  } finally {
    await observer.end().catch(() => undefined);
  }
}
