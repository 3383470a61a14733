import { roles } from "@skein/api/users.ts";
import type { importStates } from "@skein/api/imports.ts";
import type { Selectable } from "kysely";
import { ApiError } from "../../../../errors.ts";
import type { User } from "../../../../identity/account.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import type { RealmImportsTable } from "../../../../platform/db/schema.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";

export type ImportState = (typeof importStates)[number];
export type RealmImportRow = Selectable<RealmImportsTable>;

/** Throws unless the user may import; nobody else learns whether there are imports. */
export function accessImports({ role, is_bot }: User): void {
  if (role > roles.owner || is_bot) throw new ApiError("Must be an organization owner");
}

export async function accessImport(db: Db, user: User, id: number): Promise<RealmImportRow> {
  accessImports(user);
  const found = await db
    .selectFrom("realm_imports")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!found) throw new ApiError("Invalid import ID");
  return found;
}

const refusals: Partial<Record<ImportState, string>> = {
  uploading: "The file is not uploaded completely.",
  inspecting: "The file is still being inspected.",
  running: "The import is running.",
};

/** The import, locked until the transaction ends, if it is in one of these states. */
export async function accessImportForUpdate(
  tx: Tx,
  user: User,
  id: number,
  states: readonly ImportState[],
): Promise<RealmImportRow> {
  accessImports(user);
  const found = await tx
    .selectFrom("realm_imports")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!found) throw new ApiError("Invalid import ID");
  const state = found.state as ImportState; // the table has no others
  if (!states.includes(state)) throw new ApiError(refusals[state] ?? "This import has ended.");
  return found;
}
