/**
 * Makes sending to a channel and changing its subscribers mutually exclusive, so that the ranges of message ids stored for
 * a subscriber agree with the events they receive. A send takes the channel's lock shared, before its message gets an id;
 * a change of subscribers takes it exclusively. Both hold it until their transaction ends.
 */
import { sql } from "kysely";
import type { Tx } from "../../platform/db/transaction.ts";

/** SQL that takes the shared lock, for the statement that sends. `channelId` is SQL for the channel's id. */
export const sharedChannelLock = (channelId: string): string => `pg_advisory_xact_lock_shared(${channelId})`;

/**
 * Takes the locks, in ascending order to avoid deadlocks, and returns the boundary: earlier messages of these channels
 * have smaller ids, later ones greater ids, and no message ever has this id. So even two changes without a message between
 * them have different boundaries, and an event's boundary determines who was subscribed when it was emitted.
 */
export async function lockChannelsForSubscriptionChange(tx: Tx, channelIds: readonly number[]): Promise<number> {
  const ascending = channelIds.toSorted((a, b) => a - b);
  await sql`select pg_advisory_xact_lock(id) from unnest(${ascending}::bigint[]) as id`.execute(tx);
  // Not before the locks are held: an id taken earlier could be smaller than that of a message sent meanwhile.
  const { rows } = await sql<{ boundary: number }>`select nextval('messages_id_seq') as boundary`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error("a sequence always has a next value");
  return row.boundary;
}
