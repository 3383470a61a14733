/**
 * Sends to a channel and changes of who is subscribed to it exclude each other for an instant, so that the ranges of
 * message ids people receive agree with the events they are sent. A send takes the channel's lock shared, before its
 * message gets an id; a change takes it exclusively. Both hold it until their transaction ends.
 */
import { sql } from "kysely";
import type { Tx } from "../../platform/db/transaction.ts";

/** For the statement that sends: SQL that takes the lock shared. `channelId` is SQL for the channel's id. */
export const sharedChannelLock = (channelId: string): string => `pg_advisory_xact_lock_shared(${channelId})`;

/**
 * Takes the locks, in ascending order so that two changes cannot wait for each other, and gives the boundary: messages
 * sent to these channels so far have smaller ids, later ones greater ones. No message ever has this id. That makes two
 * changes between which nothing was sent differ too, and an event of now tells later who was subscribed at the time.
 */
export async function lockChannelsForSubscriptionChange(tx: Tx, channelIds: readonly number[]): Promise<number> {
  const ascending = channelIds.toSorted((a, b) => a - b);
  await sql`select pg_advisory_xact_lock(id) from unnest(${ascending}::bigint[]) as id`.execute(tx);
  // Only now: an id taken while waiting could be smaller than that of a message sent meanwhile.
  const { rows } = await sql<{ boundary: number }>`select nextval('messages_id_seq') as boundary`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error("a sequence always has a next value");
  return row.boundary;
}
