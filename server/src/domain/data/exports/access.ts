import { roles } from "@skein/api/users.ts";
import type { Selectable } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { RealmExportsTable } from "../../../platform/db/schema.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

export type ExportRow = Selectable<RealmExportsTable>;

/** Throws unless the user may export the organization's data. */
export function accessExports({ role }: User): void {
  if (role > roles.administrator) throw new ApiError("Must be an organization administrator");
}

/** Serializes changes of exports, so that the last event matches the stored state. */
export async function lockExports(tx: Tx, realmId: number): Promise<void> {
  await tx.selectFrom("realms").select("id").where("id", "=", realmId).forNoKeyUpdate().execute();
}

export const isPending = ({ finished_at, failed_at }: ExportRow): boolean => finished_at === null && failed_at === null;

/** A finished export whose file can be removed, for an administrator. */
export async function accessExportForRemoval(tx: Tx, user: User, id: number): Promise<ExportRow> {
  accessExports(user);
  await lockExports(tx, user.realm_id);
  const found = await tx
    .selectFrom("realm_exports")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!found) throw new ApiError("Invalid data export ID");
  if (found.deleted_at !== null) throw new ApiError("Export already deleted");
  if (found.failed_at !== null) throw new ApiError("Export failed, nothing to delete");
  if (isPending(found)) throw new ApiError("Export still in progress");
  return found;
}

/** The export with this secret, if its file exists. */
export async function findExportFile(db: Db, user: User, secret: string): Promise<ExportRow | undefined> {
  accessExports(user);
  return db
    .selectFrom("realm_exports")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("secret", "=", secret)
    .where("finished_at", "is not", null)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}
