import { roles } from "@skein/api/users.ts";
import type { Audience } from "../../../../events/audience.ts";
import { emit } from "../../../../events/emit.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import type { RealmImportRow } from "./access.ts";
import { toImport } from "./queries.ts";

const toOwners: Audience = { roles: [roles.owner], exceptBots: true };

/** Stores a change of an import, and emits it. Undefined if it is not in one of these states any more. */
export async function changeImport(
  tx: Tx,
  { id }: Pick<RealmImportRow, "id">,
  states: readonly string[],
  change: Partial<Omit<RealmImportRow, "inspection" | "progress" | "report">> &
    Partial<Record<"inspection" | "progress" | "report", string | null>>,
): Promise<RealmImportRow | undefined> {
  const changed = await tx
    .updateTable("realm_imports")
    .set({ ...change, changed_at: new Date() })
    .where("id", "=", id)
    .where("state", "in", states)
    .returningAll()
    .executeTakeFirst();
  if (changed) emitImport(tx, changed);
  return changed;
}

export function emitImport(tx: Tx, row: RealmImportRow): void {
  emit(tx, row.realm_id, toOwners, { type: "realm_import", import: toImport(row) });
}
