import { roles } from "@skein/api/users.ts";
import { ApiError, notForBots } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

/** Throws for bots: their owners change their settings. */
export function accessOwnSettings(user: User): void {
  if (user.is_bot) throw notForBots();
}

/** The current account, locked until the transaction ends. */
export async function lockOwnAccount(tx: Tx, user: User): Promise<User> {
  const { password_hash: _, ...row } = await tx
    .selectFrom("users")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", user.id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return { ...user, ...row };
}

/** Throws unless the user may change their name. */
export function accessOwnName({ realm, role }: User): void {
  if (realm.name_changes_disabled && role > roles.administrator)
    throw new ApiError("Name changes are disabled in this organization.");
}
