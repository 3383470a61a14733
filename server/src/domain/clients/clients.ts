/** The programs messages are sent with. Few, and never deleted: a node learns each once. */
import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";

const known = new WeakMap<Db, Map<string, number>>();

export async function clientId(db: Db, name: string): Promise<number> {
  const ids = known.get(db) ?? new Map<string, number>();
  known.set(db, ids);
  const id = ids.get(name);
  if (id !== undefined) return id;
  await db
    .insertInto("clients")
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await db.selectFrom("clients").select("id").where("name", "=", name).executeTakeFirstOrThrow();
  ids.set(name, row.id);
  return row.id;
}

/** The same inside a transaction; what it adds is not remembered, because it may not commit. */
export async function clientIdWithin(tx: Tx, name: string): Promise<number> {
  const found = await tx.selectFrom("clients").select("id").where("name", "=", name).executeTakeFirst();
  if (found) return found.id;
  // Whoever adds it at this moment is waited for; the next statement sees what they added.
  await sql`insert into clients (name) values (${name}) on conflict do nothing`.execute(tx);
  const added = await tx.selectFrom("clients").select("id").where("name", "=", name).executeTakeFirstOrThrow();
  return added.id;
}

/** Programs a person sits at: what they send, they have read. Everything else is a script. */
const interactive = new Set([
  "zulipmobile",
  "zulipflutter",
  "zulipterminal",
  "zulipelectron",
  "zulipandroid",
  "zulipios",
  "website",
  "snipe",
  "barnowl",
  "desktop app mac 0.2.0",
]);

export function isInteractive(name: string): boolean {
  const lower = name.toLowerCase();
  return interactive.has(lower) || lower.includes("desktop app");
}
