/** Counts attempts to sign in, by method and result, so that an operator notices an attack or a broken provider. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { SignInMethod, SignInResult } from "../../../platform/metrics.ts";

/** Counts the attempt as successful unless it throws. */
export async function countSignIn<T>(
  { metrics }: Pick<Context, "metrics">,
  method: SignInMethod,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    const account = await attempt();
    metrics.signIns.inc({ method, result: "success" });
    return account;
  } catch (error) {
    metrics.signIns.inc({ method, result: resultOf(error) });
    throw error;
  }
}

const results: Record<string, SignInResult> = {
  AUTHENTICATION_FAILED: "wrong credentials",
  SECOND_FACTOR_INVALID: "wrong credentials",
  PASSKEY_INVALID: "wrong credentials",
  RATE_LIMIT_HIT: "too many attempts",
  REALM_DEACTIVATED: "deactivated",
  USER_DEACTIVATED: "deactivated",
  DIRECTORY_UNAVAILABLE: "provider failed",
};

const resultOf = (error: unknown): SignInResult =>
  error instanceof ApiError ? (results[error.code] ?? "refused") : "failed";
