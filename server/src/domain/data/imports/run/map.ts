/** What became of what, see the table import_map. */
import { sql } from "kysely";
import { bigintArray, textArray } from "../../../../platform/db/binary-array.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import type { Import } from "./import-context.ts";

export type MapKind =
  | "organization"
  | "person"
  /** By a hash of their id, see erased.ts. */
  | "erased"
  | "channel"
  | "emoji"
  | "file"
  | "avatar"
  | "thread"
  | "topic"
  | "message"
  | "line"
  | "group"
  | "linkifier"
  | "field"
  | "playground"
  | "channel set"
  | "personal"
  | "visibility"
  | "subscription"
  | "scheduled"
  | "draft";

export async function remember(
  tx: Tx,
  { realmId, source }: Import,
  kind: MapKind,
  entries: readonly (readonly [sourceId: string, id: number])[],
): Promise<void> {
  if (entries.length === 0) return;
  await sql`
    insert into import_map (realm_id, source, kind, source_id, id)
    select ${realmId}, ${source.name}, ${kind}, source_id, id
    from unnest(${textArray(entries.map(([sourceId]) => sourceId))}::text[],
      ${bigintArray(entries.map(([, id]) => id))}::bigint[]) as entry (source_id, id)
    on conflict (realm_id, source, kind, source_id) do update set id = excluded.id`.execute(tx);
}

/** All entries of a kind of which there are few. */
export async function recall(db: Db, { realmId, source }: Import, kind: MapKind): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("import_map")
    .select(["source_id", "id"])
    .where("realm_id", "=", realmId)
    .where("source", "=", source.name)
    .where("kind", "=", kind)
    .execute();
  return new Map(rows.map((row) => [row.source_id, row.id]));
}
