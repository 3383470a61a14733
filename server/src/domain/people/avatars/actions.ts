import { roles } from "@skein/api/users.ts";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { SentFile } from "../../../http/form.ts";
import type { User } from "../../../identity/account.ts";
import { sql } from "kysely";
import { CommitOutcomeUnknown, transaction, type Tx } from "../../../platform/db/transaction.ts";
import { emitBotChange } from "../bots/events.ts";
import { toUsersSeeing } from "../users/audience.ts";
import { avatarUrl } from "../users/avatar.ts";
import { emitAvatar } from "../users/event-shapes.ts";
import { accountColumns, type Account } from "../users/queries.ts";
import { removeAvatarFiles, storeAvatar } from "./file.ts";

/** The user whose avatar it is. */
interface Owner {
  id: number;
  realm_id: number;
}

/** Throws unless the user may change their own avatar. */
export function accessOwnAvatar(user: User): void {
  if (user.realm.avatar_changes_disabled && user.role > roles.administrator)
    throw new ApiError("Avatar changes are disabled in this organization.");
}

/** Stores the files before the event is emitted, and removes them again on failure. Returns the new URL. */
export async function uploadAvatar(ctx: Context, owner: Owner, files: SentFile[]): Promise<string> {
  const key = await storeAvatar(ctx.files, owner, files);
  try {
    return await replaceAvatar(ctx, owner, key);
  } catch (error) {
    if (!(error instanceof CommitOutcomeUnknown)) await removeAvatarFiles(ctx.files, key);
    throw error;
  }
}

/** Returns the URL of the picture shown instead. */
export const removeAvatar = (ctx: Context, owner: Owner): Promise<string> => replaceAvatar(ctx, owner, null);

async function replaceAvatar(ctx: Context, owner: Owner, key: string | null): Promise<string> {
  const { url, replaced } = await transaction(ctx.db, "change avatar", (tx) => setAvatar(tx, owner, key));
  if (replaced !== null) await removeAvatarFiles(ctx.files, replaced);
  return url;
}

/** Returns the new URL, and the key of the files that are no longer needed. Nothing changes if there was no picture. */
export async function setAvatar(tx: Tx, { id, realm_id }: Owner, key: string | null) {
  const before = await tx
    .selectFrom("users")
    .select(accountColumns)
    .where("realm_id", "=", realm_id)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  if (key === null && before.avatar_key === null) return { url: avatarUrl(before), replaced: null };
  const account: Account = await tx
    .updateTable("users")
    .set({
      avatar_key: key,
      avatar_source:
        key === null ? sql<string>`(select default_avatar_source from realms where id = ${realm_id})` : "U",
      avatar_version: before.avatar_version + 1,
    })
    .where("id", "=", id)
    .returning(accountColumns)
    .executeTakeFirstOrThrow();
  emitAvatar(tx, realm_id, account, await toUsersSeeing(tx, { id: realm_id }, account));
  if (account.is_bot) emitBotChange(tx, { ...account, realm_id }, { avatar_url: avatarUrl(account) });
  return { url: avatarUrl(account), replaced: before.avatar_key };
}
