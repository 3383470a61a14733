/**
 * Waits for transactions that began before now. A change that forbids something is respected by every statement that
 * begins after its commit; what began earlier may still act on what it saw, until it is over.
 */
import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "./connect.ts";

const pollMilliseconds = 20;

/**
 * Of all processes of the server, by the name of their connections: a backup reads for hours and changes nothing.
 * A transaction has this id from its first statement on, unlike the id that it gets when it writes.
 */
const running = sql<{ id: string }>`
  select l.pid || ' ' || l.virtualtransaction as id from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock' and l.granted and a.datname = current_database()
    and a.backend_type = 'client backend' and a.application_name like 'skein%' and l.pid <> pg_backend_pid()`;

/** Returns when every transaction that runs now has ended. `onWait` is called with how many are left, if any. */
export async function untilOthersEnd(db: Db, onWait: (left: number) => void = () => undefined): Promise<void> {
  let left = new Set((await running.execute(db)).rows.map(({ id }) => id));
  for (let shown = 0; left.size > 0; await wait(pollMilliseconds)) {
    const now = new Set((await running.execute(db)).rows.map(({ id }) => id));
    left = left.intersection(now);
    if (left.size > 0 && left.size !== shown) onWait((shown = left.size));
  }
}
