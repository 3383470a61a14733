/** The programs messages are sent with. Few, and never deleted: a node learns each once. */
import type { Db } from "../../platform/db/connect.ts";

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
