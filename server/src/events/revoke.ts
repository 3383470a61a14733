/**
 * A transaction that takes something away from somebody. It is answered only when the log carries it, so that a read
 * of events that begins afterwards, on any node, is judged by it; everything else is judged by the database anyway.
 */
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { transaction, type Tx } from "../platform/db/transaction.ts";
import { emitMessage } from "./emit.ts";

export async function revoke<T>(ctx: Context, name: string, change: (tx: Tx) => Promise<T>): Promise<T> {
  const { value, xid } = await transaction(ctx.db, name, async (tx) => {
    const changed = await change(tx);
    // An empty part of its own: a change that told nobody anything would never be seen to arrive.
    const { rows } = await sql<{ xid: number }>`
      select pg_current_xact_id()::text::bigint as xid, ${emitMessage({ events: 0, fields: '"r":0' })}`.execute(tx);
    return { value: changed, xid: rows[0]?.xid };
  });
  if (xid !== undefined) await ctx.events.known(xid);
  return value;
}
