/** A new password for who knows the old one. Keys stay valid: each has its own life. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { clearLoginTries, countLoginTry } from "./login-limit.ts";
import { checkPassword, hashPassword, isPassword } from "./passwords.ts";

export interface PasswordChange {
  oldHash: string | null;
  newHash: string;
}

/** Judges and hashes, which takes its time: not inside a transaction. Wrong passwords count as those of a login. */
export async function preparePasswordChange(
  ctx: Context,
  user: User,
  oldPassword: string,
  newPassword: string,
): Promise<PasswordChange> {
  if (ctx.config.rateLimits) await countLoginTry(ctx.db, user.realm_id, user.delivery_email);
  const { password_hash: oldHash } = await ctx.db
    .selectFrom("users")
    .select("password_hash")
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", user.id)
    .executeTakeFirstOrThrow();
  if (!(await isPassword(oldHash, oldPassword))) throw wrongPassword();
  checkPassword(newPassword, [user.delivery_email, user.full_name], "New password is too weak!");
  return { oldHash, newHash: await hashPassword(newPassword) };
}

/** Of two changes at once the second finds that its old password is no longer one. */
export async function changePassword(tx: Tx, user: User, { oldHash, newHash }: PasswordChange): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("users")
    .set({ password_hash: newHash })
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", user.id)
    .where("password_hash", "is not distinct from", oldHash)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw wrongPassword();
  await clearLoginTries(tx, user.realm_id, user.delivery_email);
}

const wrongPassword = () => new ApiError("Wrong password!");
