/**
 * Some events carry all of a person's list: whom they muted, their muted topics. Such a list holds what was committed
 * before it if nobody else reads one of that person between this reading and the end of its transaction.
 *
 * **Invariant:** whoever has this lock waits for no other any more; so it is taken last, right before the lists are read.
 */
import { sql } from "kysely";
import type { Tx } from "../../platform/db/transaction.ts";

/** The first of two keys, so that these locks have nothing to do with others. */
const kind = 7304;
/** PostgreSQL has room for some thousand locks; a change can concern everybody of an organization. */
const places = 64;

/** Until the transaction ends; in ascending order, so that two cannot wait for each other. */
export async function lockLists(tx: Tx, userIds: readonly number[]): Promise<void> {
  const ascending = [...new Set(userIds.map((id) => id % places))].toSorted((a, b) => a - b);
  await sql`
    select pg_advisory_xact_lock(${sql.lit(kind)}, place) from unnest(${ascending}::integer[]) as place`.execute(tx);
}
