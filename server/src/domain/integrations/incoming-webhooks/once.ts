/** Deduplicates deliveries with rows that two transactions cannot both insert. They are kept for a day. */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

const keptHours = 24;

/** Whether this is the first time within the given hours; waits for a concurrent transaction with the same parts. */
export async function isFirst(tx: Tx, bot: User, parts: readonly string[], hours = keptHours): Promise<boolean> {
  const key = createHash("sha256").update(JSON.stringify(parts)).digest();
  const { rows } = await sql`
    insert into incoming_deliveries as known (bot_id, realm_id, key) values (${bot.id}, ${bot.realm_id}, ${key})
    on conflict (bot_id, key) do update set received_at = now()
      where known.received_at <= now() - make_interval(hours => ${hours})
    returning bot_id`.execute(tx);
  return rows.length > 0;
}

export async function forgetOld(db: Db): Promise<void> {
  await sql`
    delete from incoming_deliveries where received_at <= now() - make_interval(hours => ${keptHours})`.execute(db);
}
