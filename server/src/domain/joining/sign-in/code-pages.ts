/** The second step of signing in with a password: the code of an authenticator app, a passkey, or a recovery code. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { plainPage, redirect, type PlainPage } from "../../../http/pages/plain-page.ts";
import type { Page, PageResponse } from "../../../http/page.ts";
import type { AuthenticatedAccount } from "../../people/auth/password-login.ts";
import { listPasskeys, signingOptions } from "../../people/second-factors/passkeys.ts";
import { relyingParty } from "../../people/second-factors/relying-party.ts";
import { requireSecondFactor, signInWithProof } from "../../people/second-factors/sign-in-with-proof.ts";
import { factorsOf, isProtected } from "../../people/second-factors/use-code.ts";
import { lacksFactor } from "../../people/second-factors/requirement.ts";
import { completeSignIn, type Destination } from "./complete-sign-in.ts";
import { readPasskey } from "./passkey-pages.ts";
import { clearPendingCode, pendingCodeCookie, readPendingCode, type PendingCode } from "./pending-code.ts";
import { brandOf, realmPages, wantsJson } from "./realm-page.ts";
import { continueWithSetUp } from "./set-up-pages.ts";
import { codeForm } from "./views.ts";
import type { Visit } from "./visit.ts";
import { waitingTime } from "./waiting-time.ts";

const limit = { calls: 100, seconds: 60 };
const codePath = "/accounts/login/second_factor";

export function codePages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  return [...page("GET", codePath, showCodeForm), ...page("POST", codePath, takeCode)];
}

/**
 * Completes a sign-in whose password was right, or asks for the second factor first, or for its set-up. Programs send it with
 * the password.
 */
export async function continueAfterPassword(
  ctx: Context,
  visit: Visit,
  account: AuthenticatedAccount,
  destination: Destination,
): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  if (await lacksFactor(ctx.db, account)) return continueWithSetUp(ctx, visit, account, destination);
  const code = request.form.get("second_factor_code");
  if (wantsJson(request) || code !== undefined) {
    const from = { ip: request.address, id: request.id, origin: request.origin };
    return completeSignIn(ctx, visit, await requireSecondFactor(ctx, realm, account, { code }, from), destination);
  }
  if (!isProtected(await factorsOf(ctx.db, account))) return completeSignIn(ctx, visit, account, destination);
  return redirect(`${codePath}/`, [await pendingCodeCookie(ctx, request.browser, account, destination)]);
}

async function showCodeForm(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const pending = await readPendingCode(ctx, visit.request.browser, visit.realm);
  if (!pending || !isProtected(await factorsOf(ctx.db, pending.account))) return redirect("/login/");
  return askForProof(ctx, visit, pending);
}

async function askForProof(
  ctx: Context,
  visit: Visit,
  { account, destination: { app } }: PendingCode,
  refusal: { problem?: string; status?: number } = {},
): Promise<PlainPage> {
  const { totp: hasApp } = await factorsOf(ctx.db, account);
  const passkeys = await listPasskeys(ctx.db, account);
  const rp = relyingParty(ctx.config, visit.realm, visit.request.origin);
  const passkey =
    passkeys.length === 0 ? undefined : await signingOptions(ctx.secretBox, rp, { confirm: account.id }, passkeys);
  return codeForm({ visit, app, hasApp, passkey, ...refusal });
}

async function takeCode(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  const pending = await readPendingCode(ctx, request.browser, realm);
  if (!pending) return redirect("/login/", [clearPendingCode(request.browser)]);
  const { account, destination } = pending;
  try {
    const from = { ip: request.address, id: request.id, origin: request.origin };
    const proof = { code: request.form.get("second_factor_code"), passkey: readPasskey(request) };
    const known = await signInWithProof(ctx, realm, account, proof, from);
    const answer = await completeSignIn(ctx, visit, known, destination);
    const done = "title" in answer ? plainPage(answer, brandOf(realm)) : answer;
    return { ...done, cookies: [...(done.cookies ?? []), clearPendingCode(request.browser)] };
  } catch (error) {
    if (!(error instanceof ApiError) || wantsJson(request)) throw error;
    const wait = waitingTime(error);
    const problem = wait === undefined ? `${error.message}.` : `Too many attempts. Try again ${wait}.`;
    return askForProof(ctx, visit, pending, { problem, status: error.status });
  }
}
