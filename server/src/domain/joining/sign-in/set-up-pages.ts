/**
 * The second step of signing in for people who must have a second factor and have none: they set one up. There is no
 * session before that is done.
 */
import { addPasskey } from "@skein/api/passkeys.ts";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { plainPage, redirect, type PlainPage } from "../../../http/pages/plain-page.ts";
import type { Page, PageRequest, PageResponse } from "../../../http/page.ts";
import type { AuthenticatedAccount } from "../../people/auth/password-login.ts";
import { registrationOptions, type NewCredential } from "../../people/second-factors/passkeys.ts";
import { relyingParty } from "../../people/second-factors/relying-party.ts";
import { lacksFactor, setUpPath, setUpRequired } from "../../people/second-factors/requirement.ts";
import { offerTotp, openTotpOffer, setUpPasskey, setUpTotp } from "../../people/second-factors/set-up.ts";
import { totpUrl } from "../../people/second-factors/totp.ts";
import { completeSignIn, type Destination } from "./complete-sign-in.ts";
import { clearPendingCode, pendingCodeCookie, readPendingCode, type PendingCode } from "./pending-code.ts";
import { brandOf, errorAnswer, realmPages, wantsJson } from "./realm-page.ts";
import { setUpDone, setUpForm } from "./set-up-view.ts";
import type { Visit } from "./visit.ts";

const limit = { calls: 100, seconds: 60 };
/** Time enough to install an app. */
const setUpSeconds = 1800;

export function setUpPages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  return [...page("GET", setUpPath, showSetUp), ...page("POST", setUpPath, takeSetUp)];
}

/** Leads somebody whose password was right to the page. A script is told where it is. */
export async function continueWithSetUp(
  ctx: Context,
  { request }: Visit,
  account: AuthenticatedAccount,
  destination: Destination,
): Promise<PageResponse> {
  const cookies = [await pendingCodeCookie(ctx, request.browser, account, destination, setUpSeconds)];
  if (!wantsJson(request)) return redirect(`${setUpPath}/`, cookies);
  return { ...errorAnswer(request, setUpRequired(request.origin, { path: `${setUpPath}/` })), cookies };
}

/** The sign-in that waits in this browser, if it still has to set one up. */
async function accessPending(ctx: Context, { realm, request }: Visit): Promise<PendingCode | undefined> {
  const pending = await readPendingCode(ctx, request.browser, realm);
  return pending && (await lacksFactor(ctx.db, pending.account)) ? pending : undefined;
}

async function showSetUp(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const pending = await accessPending(ctx, visit);
  return pending ? askToSetUp(ctx, visit, pending) : redirect("/login/");
}

async function askToSetUp(
  ctx: Context,
  visit: Visit,
  { account, destination: { app } }: PendingCode,
  refusal: { problem?: string; passkeyProblem?: string; status?: number } = {},
): Promise<PlainPage> {
  const { realm, request } = visit;
  const shown = openTotpOffer(ctx.secretBox, account, request.form.get("secret"));
  const { secret, sealed } = shown ?? offerTotp(ctx.secretBox, account);
  const url = totpUrl(secret, { issuer: realm.name, label: account.delivery_email });
  const rp = relyingParty(ctx.config, realm, request.origin);
  const person = { ...account, full_name: account.delivery_email };
  const passkey = await registrationOptions(ctx.db, ctx.secretBox, rp, person);
  return setUpForm({ visit, app, totp: { secret, sealed, url }, passkey, ...refusal });
}

/** What the page's script has filled in; undefined if it is no new passkey. */
function readNewPasskey({ form }: PageRequest): { state: string; credential: NewCredential } | undefined {
  const { data: credential } = addPasskey.params.credential.safeParse(form.get("credential"));
  const state = form.get("state");
  return credential && state !== undefined ? { state, credential } : undefined;
}

async function takeSetUp(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  const pending = await accessPending(ctx, visit);
  if (!pending) return redirect("/login/", [clearPendingCode(request.browser)]);
  const { account, destination } = pending;
  const from = { ip: request.address, id: request.id, origin: request.origin };
  const passkey = readNewPasskey(request);
  try {
    const done = passkey
      ? await setUpPasskey(ctx, realm, account, passkey, from)
      : await setUpTotp(ctx, account, request.form.get("secret"), request.form.get("second_factor_code"), from);
    const answer = await completeSignIn(ctx, visit, done.account, destination);
    const page = plainPage(setUpDone(done.recoveryCodes, answer), brandOf(realm));
    const cookies = "title" in answer ? [] : (answer.cookies ?? []);
    return { ...page, cookies: [...cookies, clearPendingCode(request.browser)] };
  } catch (error) {
    if (!(error instanceof ApiError) || wantsJson(request)) throw error;
    const problem = error.message.replace(/\.?$/, ".");
    return askToSetUp(ctx, visit, pending, {
      ...(passkey ? { passkeyProblem: problem } : { problem }),
      status: error.status,
    });
  }
}
