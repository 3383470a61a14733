/**
 * Changes the password of a user who knows the old one. Other browsers are signed out; API keys stay valid.
 */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Credentials } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { endBrowserSessions } from "./browser-sessions.ts";
import { clearLoginAttempts } from "./login-limit.ts";
import { requirePassword } from "./own-password.ts";
import { checkPassword, hashPassword } from "./passwords.ts";

export interface PasswordChange {
  oldHash: string | null;
  newHash: string;
  /** The browser with these credentials stays signed in. */
  credentials: Credentials;
}

const wrongPassword = "Wrong password!";

/** Verifies and hashes, which is slow: not for use inside a transaction. Wrong passwords count towards the limit. */
export async function preparePasswordChange(
  ctx: Context,
  user: User,
  passwords: { old: string; new: string },
  credentials: Credentials,
): Promise<PasswordChange> {
  const oldHash = await requirePassword(ctx, user, passwords.old, wrongPassword);
  await checkPassword(passwords.new, [user.delivery_email, user.full_name], "New password is too weak!");
  return { oldHash, newHash: await hashPassword(passwords.new), credentials };
}

/** Call inside revoke(). Of two concurrent changes, the second fails because its old password is no longer valid. */
export async function changePassword(tx: Tx, user: User, change: PasswordChange): Promise<void> {
  const { oldHash, newHash, credentials } = change;
  const { numUpdatedRows } = await tx
    .updateTable("users")
    .set({ password_hash: newHash })
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", user.id)
    .where("password_hash", "is not distinct from", oldHash)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new ApiError(wrongPassword);
  await endBrowserSessions(tx, user, credentials);
  await clearLoginAttempts(tx, user.realm_id, user.delivery_email, "all");
}
