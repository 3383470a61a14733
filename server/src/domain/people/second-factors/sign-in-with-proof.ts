/** Asks for the second factor when somebody signs in with a password. */
import type { Context } from "../../../context.ts";
import type { Realm } from "../../../identity/account.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { recordFailedSignIn } from "../../organization/audit/sign-ins.ts";
import { countSignIn } from "../auth/count-sign-in.ts";
import { countLoginAttempt, factorSource } from "../auth/login-limit.ts";
import type { AuthenticatedAccount } from "../auth/password-login.ts";
import { lacksFactor, setUpRequired } from "./requirement.ts";
import {
  factorsOf,
  isEmpty,
  isProtected,
  prepareProof,
  secondFactorRequired,
  wrongProof,
  type FactorRequest,
  type FactorStatus,
  type Proof,
} from "./use-code.ts";

/**
 * The account, if the proof is right, or it neither has nor must have a second factor; throws otherwise. For requests that
 * give password and proof together. Every failure is recorded.
 */
export async function requireSecondFactor(
  ctx: Context,
  realm: Realm,
  account: AuthenticatedAccount,
  proof: Proof,
  request: FactorRequest,
  status: FactorStatus = 401,
): Promise<AuthenticatedAccount> {
  const factors = await factorsOf(ctx.db, account);
  if (!isProtected(factors)) {
    if (!(await lacksFactor(ctx.db, account))) return account;
    const reason = "second_factor_not_set_up";
    await recordFailedSignIn(ctx.db, realm, request, { account: account.id, method: "password", reason });
    throw setUpRequired(request.origin, { status });
  }
  if (!isEmpty(proof)) return signInWithProof(ctx, realm, account, proof, request, status);
  const failure = { account: account.id, method: "password", reason: "second_factor_missing" } as const;
  await recordFailedSignIn(ctx.db, realm, request, failure);
  throw secondFactorRequired(status, factors);
}

/** Continues a sign-in whose password was right. Every failure is counted and recorded. */
export const signInWithProof = (
  ctx: Context,
  realm: Realm,
  account: AuthenticatedAccount,
  proof: Proof,
  request: FactorRequest,
  status: FactorStatus = 401,
): Promise<AuthenticatedAccount> =>
  countSignIn(ctx, "second factor", async () => {
    if (ctx.config.rateLimits)
      await countLoginAttempt(ctx.db, realm.id, account.delivery_email, factorSource(account.attemptSource));
    const use = await prepareProof(ctx, realm, account, proof, request);
    const secondFactor = await transaction(ctx.db, "use second factor", use);
    if (secondFactor !== undefined) return { ...account, secondFactor };
    const failure = { account: account.id, method: "password", reason: "wrong_second_factor" } as const;
    await recordFailedSignIn(ctx.db, realm, request, failure);
    throw wrongProof(status, proof);
  });
