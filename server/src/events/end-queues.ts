/**
 * Ends all event queues of one organization: its clients get `BAD_EVENT_QUEUE_ID` and register again. For changes that no
 * event can describe, such as a message's new sender.
 *
 * The end is part of the change's transaction, and of its place in the log. A queue whose registration did not see the
 * transaction ends when its client reads this place, on whichever node and whenever: also if the registration was in
 * flight when the transaction committed. A queue whose registration saw it is not affected. The rows are deleted as well,
 * for nodes of the previous release, which know only that.
 */
import { sql } from "kysely";
import type { Db } from "../platform/db/connect.ts";
import { untilOthersEnd } from "../platform/db/running-transactions.ts";
import type { Tx } from "../platform/db/transaction.ts";
import { emitMessage } from "./emit.ts";
import { announceRemoval } from "./queue-store.ts";

/** Returns the transaction's id. */
export async function endQueues(tx: Tx, realmId: number): Promise<number> {
  await sql`delete from event_queues where realm_id = ${realmId} returning ${announceRemoval(realmId)}`.execute(tx);
  const { rows } = await sql<{ xid: number }>`
    select pg_current_xact_id()::text::bigint as xid,
      ${emitMessage({ events: 0, fields: `"r":${realmId},"over":true` })}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error("unreachable: a select without from returns a row");
  return row.xid;
}

/**
 * Deletes queues whose registration was in flight when the transaction committed. Nodes of this release end them anyway.
 * Safe to repeat.
 */
export async function endQueuesInFlight(db: Db, realmId: number, xid: number): Promise<void> {
  await untilOthersEnd(db);
  await sql`
    delete from event_queues
    where realm_id = ${realmId} and not pg_visible_in_snapshot(${String(xid)}::xid8, snapshot::pg_snapshot)
    returning ${announceRemoval(realmId)}`.execute(db);
}
