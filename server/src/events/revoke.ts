/**
 * A transaction that revokes access. It completes only when it is in the log, so that a request for events that begins
 * afterwards, on any node, respects it; all other requests check the database anyway.
 */
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { transaction, type Tx } from "../platform/db/transaction.ts";
import { emitMessage } from "./emit.ts";

export async function revoke<T>(ctx: Context, name: string, change: (tx: Tx) => Promise<T>): Promise<T> {
  const { value, xid } = await transaction(ctx.db, name, async (tx) => {
    const changed = await change(tx);
    // An extra empty part, because a change without events would never appear in the log.
    const { rows } = await sql<{ xid: number }>`
      select pg_current_xact_id()::text::bigint as xid, ${emitMessage({ events: 0, fields: '"r":0' })}`.execute(tx);
    return { value: changed, xid: rows[0]?.xid };
  });
  if (xid !== undefined) await ctx.events.untilLogged(xid);
  return value;
}
