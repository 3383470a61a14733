/**
 * Checks the code that follows a password.
 *
 * **Invariant:** a code is accepted once, on whichever nodes it arrives at the same time: accepting it changes the row that
 * all of them have to lock.
 */
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { recordFailedSignIn, type SecondFactor, type SignInRequest } from "../../organization/audit/sign-ins.ts";
import { countSignIn } from "../auth/count-sign-in.ts";
import { countLoginAttempt, factorSource } from "../auth/login-limit.ts";
import type { AuthenticatedAccount } from "../auth/password-login.ts";
import type { FactorHolder } from "./holder.ts";
import { normalizeCode, useRecoveryCode } from "./recovery-codes.ts";
import { isTotpCode, stepOf, totpPurpose } from "./totp.ts";

/** 401 for those who are signing in; 400 for those who are signed in, because to them 401 means that they no longer are. */
type Status = 400 | 401;

const secondFactorRequired = (status: Status) =>
  new ApiError(
    "This account needs a second factor: send second_factor_code, or use an API key created in the browser",
    { code: "SECOND_FACTOR_REQUIRED", status },
  );

export const wrongCode = (status: Status) =>
  new ApiError("This code is wrong, or has been used already", { code: "SECOND_FACTOR_INVALID", status });

/** Whether the account's password alone is not enough. */
export async function hasSecondFactor(db: Db, { id, realm_id }: FactorHolder): Promise<boolean> {
  const found = await db
    .selectFrom("totp_secrets")
    .select("user_id")
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .where("confirmed_at", "is not", null)
    .executeTakeFirst();
  return found !== undefined;
}

/** Accepts a code of the app or a recovery code; undefined if it is wrong or was accepted before. */
export async function useCode(
  tx: Tx,
  box: SecretBox,
  holder: FactorHolder,
  given: string,
): Promise<SecondFactor | undefined> {
  const code = normalizeCode(given);
  if (isTotpCode(code)) return (await useTotpCode(tx, box, holder, code)) ? "totp" : undefined;
  return (await useRecoveryCode(tx, holder, code)) ? "recovery_code" : undefined;
}

async function useTotpCode(tx: Tx, box: SecretBox, { id, realm_id }: FactorHolder, code: string): Promise<boolean> {
  const row = await tx
    .selectFrom("totp_secrets")
    .select("sealed_secret")
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .where("confirmed_at", "is not", null)
    .executeTakeFirst();
  const secret = row && box.open(row.sealed_secret, totpPurpose(id));
  const step = secret === undefined ? undefined : stepOf(secret, code);
  if (!row || step === undefined) return false;
  const { numUpdatedRows } = await tx
    .updateTable("totp_secrets")
    .set({ last_step: step, last_used_at: sql<Date>`now()` })
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .where("sealed_secret", "=", row.sealed_secret)
    .where("last_step", "<", step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * The account, if it has no second factor or the code is right; throws otherwise. For requests that give password and code
 * together. Every failure is recorded.
 */
export async function requireSecondFactor(
  ctx: Context,
  realm: Realm,
  account: AuthenticatedAccount,
  code: string | undefined,
  request: SignInRequest,
  status: Status = 401,
): Promise<AuthenticatedAccount> {
  if (!(await hasSecondFactor(ctx.db, account))) return account;
  if (code !== undefined && code !== "") return signInWithCode(ctx, realm, account, code, request, status);
  const failure = { account: account.id, method: "password", reason: "second_factor_missing" } as const;
  await recordFailedSignIn(ctx.db, realm, request, failure);
  throw secondFactorRequired(status);
}

/** Continues a sign-in whose password was right. Every failure is counted and recorded. */
export const signInWithCode = (
  ctx: Context,
  realm: Realm,
  account: AuthenticatedAccount,
  code: string,
  request: SignInRequest,
  status: Status = 401,
): Promise<AuthenticatedAccount> =>
  countSignIn(ctx, "second factor", async () => {
    if (ctx.config.rateLimits)
      await countLoginAttempt(ctx.db, realm.id, account.delivery_email, factorSource(account.attemptSource));
    const secondFactor = await transaction(ctx.db, "use second factor", (tx) =>
      useCode(tx, ctx.secretBox, account, code),
    );
    if (secondFactor !== undefined) return { ...account, secondFactor };
    const failure = { account: account.id, method: "password", reason: "wrong_second_factor" } as const;
    await recordFailedSignIn(ctx.db, realm, request, failure);
    throw wrongCode(status);
  });
