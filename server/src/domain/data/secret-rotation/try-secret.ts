/** Tries to decrypt values in the database, to see whether SKEIN_SECRET is the one they were encrypted with. */
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { sealedColumns } from "./sealed-columns.ts";

/** Of each kind: the oldest and the newest ones. */
const tried = 50;

export async function trySecret(db: Db, box: SecretBox): Promise<{ opened: number; unreadable: number }> {
  const counts = { opened: 0, unreadable: 0 };
  for (const { table, key, owner, sealed, purpose } of sealedColumns) {
    const [from, id] = [sql.table(table), sql.ref(`t.${key}`)];
    const found = sql`select ${id}, ${sql.ref(`t.${owner}`)} as owner, ${sql.raw(sealed)} as sealed
      from ${from} t where ${sql.raw(sealed)} <> ''`;
    const { rows } = await sql<{ owner: number; sealed: string }>`
      (${found} order by ${id} limit ${tried}) union (${found} order by ${id} desc limit ${tried})`.execute(db);
    for (const row of rows) counts[box.open(row.sealed, purpose(row.owner)) === undefined ? "unreadable" : "opened"]++;
  }
  return counts;
}
