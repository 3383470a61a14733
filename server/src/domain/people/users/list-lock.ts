/**
 * Some events carry a complete list of a user, such as muted users or muted topics. The lock ensures that only one
 * transaction at a time reads and emits a list of that user, so the list includes everything committed before it.
 *
 * **Invariant:** a transaction with this lock waits for no other lock; so it is taken last, right before the lists are
 * read.
 */
import { sql } from "kysely";
import { lockKinds } from "../../../platform/db/advisory-locks.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

/** PostgreSQL has room for a few thousand locks, and one change can affect every user of an organization. */
const buckets = 64;

/** Held until the transaction ends; taken in ascending order to avoid deadlocks. */
export async function lockLists(tx: Tx, userIds: readonly number[]): Promise<void> {
  const ascending = [...new Set(userIds.map((id) => id % buckets))].toSorted((a, b) => a - b);
  await sql`
    select pg_advisory_xact_lock(${sql.lit(lockKinds.lists)}, bucket) from unnest(${ascending}::integer[]) as bucket`.execute(
    tx,
  );
}
