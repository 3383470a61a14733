/**
 * Sends by somebody and changes of who has muted them exclude each other for an instant, so that the ids of messages
 * that are read for it agree with the events people are sent. A send takes its sender's lock shared, before the message
 * gets an id; a change takes it exclusively. Both hold it until their transaction ends.
 */
import { sql } from "kysely";
import type { Tx } from "../../platform/db/transaction.ts";

/** The first of two keys, so that these locks have nothing to do with those of channels. */
const kind = 7303;

/** For the statement that sends: SQL that takes the lock shared. `senderId` is SQL for the sender's id. */
export const sharedSenderLock = (senderId: string): string =>
  `pg_advisory_xact_lock_shared(${kind}, hashint8(${senderId}))`;

/** Gives the boundary: messages of this sender so far have smaller ids, later ones greater ones. */
export async function lockSender(tx: Tx, senderId: number): Promise<number> {
  await sql`select pg_advisory_xact_lock(${sql.lit(kind)}, hashint8(${senderId}))`.execute(tx);
  // Only now: an id taken while waiting could be smaller than that of a message sent meanwhile.
  const { rows } = await sql<{ boundary: number }>`select nextval('messages_id_seq') as boundary`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error("a sequence always has a next value");
  return row.boundary;
}
