/**
 * Sends by a user and changes of who has muted them briefly exclude each other, so that the ids of messages that are
 * read because of a mute agree with the events. A send takes its sender's lock shared, before the message gets an id; a
 * mute takes it exclusively. Both hold it until their transaction ends.
 */
import { sql } from "kysely";
import { lockKinds } from "../../../platform/db/advisory-locks.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

/** For the statement that sends: SQL that takes the lock shared. `senderId` is SQL for the sender's id. */
export const sharedSenderLock = (senderId: string): string =>
  `pg_advisory_xact_lock_shared(${lockKinds.muting}, hashint8(${senderId}))`;

/** Returns the boundary: this sender's earlier messages have smaller ids, later ones greater ids. */
export async function lockSender(tx: Tx, senderId: number): Promise<number> {
  await sql`select pg_advisory_xact_lock(${sql.lit(lockKinds.muting)}, hashint8(${senderId}))`.execute(tx);
  // Only once the lock is held: an id taken while waiting could be smaller than that of a message sent meanwhile.
  const { rows } = await sql<{ boundary: number }>`select nextval('messages_id_seq') as boundary`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error("unreachable: a sequence always has a next value");
  return row.boundary;
}
