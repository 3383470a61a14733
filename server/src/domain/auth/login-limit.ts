/**
 * How often one may try a password: five times in half an hour for a user name, whether there is such an account or
 * not, counted for all nodes together. A try is written down before it is known to fail, so that many at once cannot
 * slip through; getting in wipes the slate.
 */
import { sql } from "kysely";
import { rateLimitHit } from "../../http/rate-limit.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";

export const loginLimit = { tries: 5, seconds: 1800 };

/** A user name as it is counted; whoever sends a longer one is nobody. */
const toCounted = (username: string) => username.toLowerCase().slice(0, 254);

/** Counts a try; throws when there were too many. */
export async function countLoginTry(db: Db, realmId: number, username: string): Promise<void> {
  const name = toCounted(username);
  const wait = await transaction(db, "count login try", async (tx) => {
    // Taken by a statement of its own: only the next one sees what others wrote while this one waited.
    await sql`select pg_advisory_xact_lock(${realmId}::int, hashtext(${name}))`.execute(tx);
    const { rows } = await sql<{ wait: number }>`
      select extract(epoch from at - now())::float8 + ${loginLimit.seconds} as wait from login_failures
      where realm_id = ${realmId} and username = ${name} and at > now() - make_interval(secs => ${loginLimit.seconds})
      order by at desc offset ${loginLimit.tries - 1} limit 1`.execute(tx);
    const [fifthLast] = rows;
    if (fifthLast) return fifthLast.wait;
    await tx.insertInto("login_failures").values({ realm_id: realmId, username: name }).execute();
    return undefined;
  });
  if (wait !== undefined) throw rateLimitHit(wait);
}

/** Forgets the tries of somebody who got in, and those of others that are too old to count. */
export async function clearLoginTries(tx: Tx, realmId: number, username: string): Promise<void> {
  await sql`
    delete from login_failures
    where realm_id = ${realmId}
      and (username = ${toCounted(username)} or at < now() - make_interval(secs => ${loginLimit.seconds}))`.execute(tx);
}
