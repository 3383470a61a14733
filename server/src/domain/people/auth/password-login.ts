/** Authenticates by e-mail address and password. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { countSignIn } from "./count-sign-in.ts";
import { knownDevice, type SignInOrigin } from "./known-device.ts";
import {
  clearLoginAttempts,
  countLoginAttempt,
  factorSource,
  fromKnownDevice,
  fromNetwork,
  type AttemptSource,
} from "./login-limit.ts";
import { isPassword } from "./passwords.ts";
import type { ProviderSession } from "./provider-sessions.ts";
import { refusePasswords } from "./sign-in-methods.ts";
import { recordFailedSignIn, type SecondFactor } from "../../organization/audit/sign-ins.ts";

const refused = (message: string, code: string) => new ApiError(message, { code, status: 401 });

export const realmDeactivated = () => refused("This organization is deactivated", "REALM_DEACTIVATED");
export const userDeactivated = () => refused("Account is deactivated", "USER_DEACTIVATED");
export const authenticationFailed = () => refused("Your username or password is incorrect", "AUTHENTICATION_FAILED");

export interface AuthenticatedAccount {
  id: number;
  realm_id: number;
  delivery_email: string;
  /** How the user has signed in, for the audit log. */
  method?: string;
  /** The session at the identity provider, if there is one. */
  providerSession?: ProviderSession;
  /** The source of the password attempt, if a password was used. */
  attemptSource?: AttemptSource;
  /** The name under which the attempt was counted, if it is not the address. */
  attemptName?: string;
  /** What followed the password, if the account has a second factor. */
  secondFactor?: SecondFactor;
}

/** Another place that keeps passwords: the organization's directory. */
export interface PasswordKeeper {
  /** Whether it alone counts, and not the password that the account has here. */
  isOnly: boolean;
  /** The account of the person with this name and password there; undefined if there is none. */
  authenticate: (username: string, password: string) => Promise<AuthenticatedAccount | undefined>;
}

/**
 * The account with this address and password; throws unless there is one and it is active. Hashing is slow: not for use
 * inside a transaction. The caller asks for the second factor, if the account has one (second-factors/sign-in-with-proof.ts), and
 * completes the sign-in with clearAttempts().
 */
export const authenticateByPassword = (...given: Parameters<typeof verifyPassword>): Promise<AuthenticatedAccount> =>
  countSignIn(given[0], given[5]?.isOnly ? "ldap" : "password", () => verifyPassword(...given));

async function verifyPassword(
  ctx: Context,
  realm: Realm,
  username: string,
  password: string,
  from: SignInOrigin,
  keeper?: PasswordKeeper,
): Promise<AuthenticatedAccount> {
  if (realm.deactivated) throw realmDeactivated();
  if (!keeper?.isOnly) refusePasswords(realm);
  const account = await ctx.db
    .selectFrom("users")
    .select(["id", "realm_id", "delivery_email", "password_hash", "is_active"])
    .where("realm_id", "=", realm.id)
    .where((where) => where(where.fn("lower", ["delivery_email"]), "=", username.toLowerCase()))
    .executeTakeFirst();
  const device = account && from.browser && knownDevice(ctx, from.browser, account.id);
  const attemptSource = device === undefined ? fromNetwork(from.network) : fromKnownDevice(device);
  if (ctx.config.rateLimits) await countLoginAttempt(ctx.db, realm.id, username, attemptSource);
  // The response and its timing must be the same for an unknown account and for a wrong password.
  const isRight = !keeper?.isOnly && (await isPassword(account?.password_hash, password));
  const kept =
    !isRight && keeper
      ? await askKeeper(ctx, realm, keeper, { username, password, from, account: account?.id ?? null })
      : undefined;
  if (kept) return { ...kept, attemptSource, attemptName: username };
  const isSignedIn = account !== undefined && isRight && account.is_active;
  if (!isSignedIn) {
    const reason = !account ? "unknown_account" : !isRight ? "wrong_password" : "deactivated";
    const method = keeper?.isOnly ? "ldap" : "password";
    const failure = { account: account?.id ?? null, method, reason } as const;
    await recordFailedSignIn(ctx.db, realm, from.request, failure);
  }
  if (!account || !isRight) throw authenticationFailed();
  if (!account.is_active) throw userDeactivated();
  return { ...account, attemptSource, method: "password" };
}

interface KeptElsewhere {
  username: string;
  password: string;
  from: SignInOrigin;
  /** Whose address it is here. */
  account: number | null;
}

async function askKeeper(
  ctx: Context,
  realm: Realm,
  keeper: PasswordKeeper,
  { username, password, from, account }: KeptElsewhere,
): Promise<AuthenticatedAccount | undefined> {
  try {
    return await keeper.authenticate(username, password);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isDeactivated = error.code === userDeactivated().code;
    const reason = isDeactivated ? "deactivated" : account === null ? "unknown_account" : "wrong_password";
    await recordFailedSignIn(ctx.db, realm, from.request, { account, method: "ldap", reason });
    throw error;
  }
}

/** Deletes the failed attempts before the correct password and code. */
export async function clearAttempts(
  tx: Tx,
  { realm_id, delivery_email, attemptSource, attemptName = delivery_email, secondFactor }: AuthenticatedAccount,
): Promise<void> {
  if (attemptSource !== undefined) await clearLoginAttempts(tx, realm_id, attemptName, attemptSource);
  if (secondFactor !== undefined) await clearLoginAttempts(tx, realm_id, delivery_email, factorSource(attemptSource));
}
