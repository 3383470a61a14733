/** Which folders there are, and who may change them: administrators. Everybody sees them. */
import type { Selectable } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { ChannelFoldersTable } from "../../../platform/db/schema.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isAdministrator } from "../access.ts";

export type Folder = Selectable<ChannelFoldersTable>;

const invalidFolderId = () => new ApiError("Invalid channel folder ID");

export function accessFolderChanges(user: User): void {
  if (!isAdministrator(user)) throw new ApiError("Must be an organization administrator");
}

/** The folder, for an administrator who changes it. */
export async function accessFolderForUpdate(tx: Tx, user: User, id: number): Promise<Folder> {
  accessFolderChanges(user);
  const folder = await find(tx, user.realm_id, id).forUpdate().executeTakeFirst();
  if (!folder) throw invalidFolderId();
  return folder;
}

/** Refuses a folder in which no channel can be put. Until the transaction ends, nobody archives it. */
export async function accessFolderForUse(tx: Tx, realmId: number, id: number): Promise<void> {
  const folder = await find(tx, realmId, id).where("is_archived", "=", false).forShare().executeTakeFirst();
  if (!folder) throw invalidFolderId();
}

const find = (tx: Tx, realmId: number, id: number) =>
  tx.selectFrom("channel_folders").selectAll().where("realm_id", "=", realmId).where("id", "=", id);
