/**
 * A new password for who knows the old one. Other browsers have to sign in again; keys stay valid, each has its own life.
 */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import type { Credentials, User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { endBrowserSessions } from "./browser-sessions.ts";
import { clearLoginTries } from "./login-limit.ts";
import { demandPassword } from "./own-password.ts";
import { checkPassword, hashPassword } from "./passwords.ts";

export interface PasswordChange {
  oldHash: string | null;
  newHash: string;
  /** Who asks for it stays signed in. */
  asking: Credentials;
}

const wrongPassword = "Wrong password!";

/** Judges and hashes, which takes its time: not inside a transaction. Wrong passwords count as those of a login. */
export async function preparePasswordChange(
  ctx: Context,
  user: User,
  passwords: { old: string; new: string },
  asking: Credentials,
): Promise<PasswordChange> {
  const oldHash = await demandPassword(ctx, user, passwords.old, wrongPassword);
  checkPassword(passwords.new, [user.delivery_email, user.full_name], "New password is too weak!");
  return { oldHash, newHash: await hashPassword(passwords.new), asking };
}

/** Inside revoke(). Of two changes at once the second finds that its old password is no longer one. */
export async function changePassword(tx: Tx, user: User, { oldHash, newHash, asking }: PasswordChange): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("users")
    .set({ password_hash: newHash })
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", user.id)
    .where("password_hash", "is not distinct from", oldHash)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new ApiError(wrongPassword);
  await endBrowserSessions(tx, user, asking);
  await clearLoginTries(tx, user.realm_id, user.delivery_email);
}
