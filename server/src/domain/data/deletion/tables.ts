/** The tables that hold an organization's data, as the database itself lists them, so that none can be forgotten. */
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

/** These two refer to each other, so their rows are deleted last, in one transaction. */
export const lastTables = ["user_groups", "realms"] as const;

interface Reference {
  from: string;
  to: string;
}

/** All other tables with rows of an organization. A table comes before those it refers to. */
export async function tablesInOrder(db: Db): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'realm_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname`.execute(db);
  const { rows: references } = await sql<Reference>`
    select source.relname as from, target.relname as to from pg_constraint k
      join pg_class source on source.oid = k.conrelid join pg_class target on target.oid = k.confrelid
    where k.contype = 'f' and source.oid <> target.oid`.execute(db);
  const isLast = (name: string) => lastTables.some((last) => last === name);
  return sorted(
    tables.map(({ name }) => name).filter((name) => !isLast(name)),
    references,
  );
}

export function sorted(tables: readonly string[], references: readonly Reference[]): string[] {
  const left = new Set(tables);
  const order: string[] = [];
  while (left.size > 0) {
    const isReferredTo = (name: string) => references.some(({ from, to }) => to === name && left.has(from));
    const next = [...left].filter((name) => !isReferredTo(name));
    if (next.length === 0) throw new Error(`these tables refer to each other: ${[...left].join(", ")}`);
    for (const name of next) left.delete(name);
    order.push(...next);
  }
  return order;
}
