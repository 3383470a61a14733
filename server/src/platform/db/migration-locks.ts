/** How migrations wait for locks without holding up requests, and for each other. */
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { splitStatements } from "./sql-statements.ts";
import { effectsOf, lockModes, type LockMode } from "./statement-effects.ts";

/** How long a statement waits for a lock; requests queue up behind it meanwhile. */
export const lockMilliseconds = 2000;
/** How long requests can then proceed before the next attempt: longer after every failure. */
const pauseMilliseconds = [500, 1000, 2000, 4000, 8000];
const attempts = 30;
const sessionLockMilliseconds = 250;

export interface Waiting {
  /** Called with a sentence for the operator when the migration has to wait. */
  onWait?: (message: string) => void;
  /** Called now and then with how far a long statement is. */
  onProgress?: (message: string) => void;
}

/**
 * Takes an advisory lock until the connection ends. It asks again and again instead of waiting in PostgreSQL: a waiting
 * statement is a transaction, and building an index concurrently waits for all transactions.
 */
export async function takeSessionLock(
  client: pg.Client,
  key: number,
  onBusy: () => void,
  mode: "shared" | "exclusive" = "exclusive",
): Promise<void> {
  const take = mode === "shared" ? "pg_try_advisory_lock_shared" : "pg_try_advisory_lock";
  for (let attempt = 1; ; attempt++) {
    const { rows } = await client.query<{ taken: boolean }>(`select ${take}($1) as taken`, [key]);
    if (rows[0]?.taken === true) return;
    if (attempt === 1) onBusy();
    await wait(sessionLockMilliseconds);
  }
}

/**
 * Takes all locks that a migration needs before its statements run, inside its transaction. Whoever holds one of these tables and
 * waits for another would be in a deadlock with the migration, and PostgreSQL ends the one that has waited for `deadlock_timeout`. So
 * after the first lock the migration waits less than that, to be the one that starts over.
 */
export async function takeTableLocks(client: pg.Client, sql: string): Promise<void> {
  const locks = await existingTables(client, strongestLocks(sql));
  const { rows } = await client.query<{ milliseconds: number }>(
    "select extract(epoch from current_setting('deadlock_timeout')::interval)::float8 * 1000 as milliseconds",
  );
  const all = (rows[0]?.milliseconds ?? 1000) * shareOfDeadlockTimeout;
  const each = Math.max(1, Math.floor(all / Math.max(1, locks.length - 1)));
  for (const [index, { table, mode }] of locks.entries()) {
    if (index === 1) await client.query(`set local lock_timeout = ${each}`);
    await client.query(`lock table ${table} in ${mode} mode`);
  }
}

const shareOfDeadlockTimeout = 0.8;

/** By table, the strongest lock that any of the statements takes. */
function strongestLocks(sql: string): Map<string, LockMode> {
  const locks = new Map<string, LockMode>();
  for (const { table, lock } of splitStatements(sql).flatMap((statement) => effectsOf(statement) ?? [])) {
    const known = locks.get(table);
    if (known === undefined || lockModes.indexOf(lock) > lockModes.indexOf(known)) locks.set(table, lock);
  }
  return locks;
}

/** Without those that the migration creates. */
async function existingTables(
  client: pg.Client,
  locks: ReadonlyMap<string, LockMode>,
): Promise<{ table: string; mode: LockMode }[]> {
  const { rows } = await client.query<{ named: string; table: string }>(
    `select named, c.oid::regclass::text as table from unnest($1::text[]) with ordinality as n (named, place)
     join pg_class c on c.oid = to_regclass(nullif(named, '')) and c.relkind in ('r', 'p') order by place`,
    [[...locks.keys()]],
  );
  return rows.flatMap(({ named, table }) => {
    const mode = locks.get(named);
    return mode ? [{ table, mode }] : [];
  });
}

const lockErrors = new Set(["55P03", "40P01"]); // lock timeout, deadlock

/** Retries with pauses in which requests can proceed, because a statement that waits for a lock blocks all of them. */
export async function retryLocks(
  what: string,
  { onWait }: Waiting,
  client: pg.Client,
  work: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !lockErrors.has(error.code ?? "")) throw error;
      const holders = await oldestTransactions(client);
      if (attempt === attempts)
        throw new Error(
          `${what} needs a lock that other transactions hold, and did not get it in ${attempts} attempts. ` +
            `End these transactions and run this command again. The oldest:\n${holders}`,
          { cause: error },
        );
      onWait?.(
        `${what} is waiting for a lock (attempt ${attempt} of ${attempts}). The oldest transactions:\n${holders}`,
      );
      await wait(pauseMilliseconds[attempt - 1] ?? pauseMilliseconds.at(-1));
    }
  }
}

/** The likely holders of the lock. Their statements are left out because they may contain user data. */
async function oldestTransactions(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ line: string }>(`
    select format('  process %s (%s, %s), for %s s', pid, application_name, state,
      extract(epoch from clock_timestamp() - xact_start)::int) as line
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start < clock_timestamp() - interval '1 s'
    order by xact_start limit 3`);
  return rows.map(({ line }) => line).join("\n") || "  none older than a second";
}
