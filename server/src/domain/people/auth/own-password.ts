/** Asks a signed-in user for their password again. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import { countLoginAttempt, fromAccount } from "./login-limit.ts";
import { isPassword } from "./passwords.ts";

/**
 * Returns the hash of the correct password; throws `refusal` otherwise. Slow: not for use inside a transaction. Wrong
 * passwords are counted separately from those of sign-in attempts.
 */
export async function requirePassword(
  ctx: Context,
  user: User,
  password: string,
  refusal: string,
): Promise<string | null> {
  if (ctx.config.rateLimits) await countLoginAttempt(ctx.db, user.realm_id, user.delivery_email, fromAccount);
  const { password_hash } = await ctx.db
    .selectFrom("users")
    .select("password_hash")
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", user.id)
    .executeTakeFirstOrThrow();
  if (!(await isPassword(password_hash, password))) throw new ApiError(refusal);
  return password_hash;
}
