/** The client programs that send messages. There are few and none is ever deleted, so each node caches their ids. */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import type { Tx } from "../../platform/db/transaction.ts";

/** Far more than there are; but a client can send any name. */
const maxCached = 10_000;

export async function clientId({ db, memory }: Context, name: string): Promise<number> {
  const id = memory.clientIds.get(name);
  if (id !== undefined) return id;
  await db
    .insertInto("clients")
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await db.selectFrom("clients").select("id").where("name", "=", name).executeTakeFirstOrThrow();
  if (memory.clientIds.size >= maxCached) memory.clientIds.clear();
  memory.clientIds.set(name, row.id);
  return row.id;
}

/** The same inside a transaction. It does not cache an id it adds, because the transaction may roll back. */
export async function clientIdWithin(tx: Tx, name: string): Promise<number> {
  const found = await tx.selectFrom("clients").select("id").where("name", "=", name).executeTakeFirst();
  if (found) return found.id;
  // Waits for a concurrent insert of the same name, which the next statement then sees.
  await sql`insert into clients (name) values (${name}) on conflict do nothing`.execute(tx);
  const added = await tx.selectFrom("clients").select("id").where("name", "=", name).executeTakeFirstOrThrow();
  return added.id;
}

/** Programs used by a person, who has read what they send. Every other client is a script. */
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
