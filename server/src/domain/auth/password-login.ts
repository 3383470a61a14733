/** Somebody shows who they are by address and password. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import type { Realm } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { clearLoginTries, countLoginTry } from "./login-limit.ts";
import { isPassword } from "./passwords.ts";

const refused = (message: string, code: string) => new ApiError(message, { code, status: 401 });

export const realmDeactivated = () => refused("This organization is deactivated", "REALM_DEACTIVATED");
export const userDeactivated = () => refused("Account is deactivated", "USER_DEACTIVATED");
export const authenticationFailed = () => refused("Your username or password is incorrect", "AUTHENTICATION_FAILED");

export interface ProvenAccount {
  id: number;
  realm_id: number;
  delivery_email: string;
}

/**
 * The account whose password this is; throws when there is none that may act. Hashing takes its time: not inside a
 * transaction. Whoever goes on tells so with clearTries().
 */
export async function proveAccount(
  ctx: Context,
  realm: Realm,
  username: string,
  password: string,
): Promise<ProvenAccount> {
  if (realm.deactivated) throw realmDeactivated();
  if (ctx.config.rateLimits) await countLoginTry(ctx.db, realm.id, username);
  const account = await ctx.db
    .selectFrom("users")
    .select(["id", "realm_id", "delivery_email", "password_hash", "is_active"])
    .where("realm_id", "=", realm.id)
    .where((where) => where(where.fn("lower", ["delivery_email"]), "=", username.toLowerCase()))
    .executeTakeFirst();
  // An unknown account and a wrong password must not be told apart, neither by the answer nor by its time.
  const isRight = await isPassword(account?.password_hash, password);
  if (!account || !isRight) throw authenticationFailed();
  if (!account.is_active) throw userDeactivated();
  return account;
}

/** Forgets what was tried before the right password. */
export const clearTries = (tx: Tx, { realm_id, delivery_email }: ProvenAccount): Promise<void> =>
  clearLoginTries(tx, realm_id, delivery_email);
