/** Whoever is signed in already shows once more that it is them. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import { countLoginTry } from "./login-limit.ts";
import { isPassword } from "./passwords.ts";

/**
 * The hash of the password, if this is it; throws `refusal` if not. Takes its time: not inside a transaction. Wrong
 * passwords count as those of a login.
 */
export async function demandPassword(
  ctx: Context,
  user: User,
  password: string,
  refusal: string,
): Promise<string | null> {
  if (ctx.config.rateLimits) await countLoginTry(ctx.db, user.realm_id, user.delivery_email);
  const { password_hash } = await ctx.db
    .selectFrom("users")
    .select("password_hash")
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", user.id)
    .executeTakeFirstOrThrow();
  if (!(await isPassword(password_hash, password))) throw new ApiError(refusal);
  return password_hash;
}
