/** How migrations wait for locks without holding up requests, and for each other. */
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

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
