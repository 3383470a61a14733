/**
 * Signing in with an OpenID Connect provider, by the authorization code flow: the browser is sent to the provider with a
 * state tied to this browser, and comes back with a code that only this server can redeem.
 */
import { randomBytes } from "node:crypto";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { clientName } from "../../../http/client-name.ts";
import { redirect, plainPage, type PlainPage } from "../../../http/pages/plain-page.ts";
import type { Page, PageResponse } from "../../../http/page.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import type { SignInResult } from "../../../platform/metrics.ts";
import { addressChecker } from "../../organization/realm-domains/allowed-addresses.ts";
import { createRegistration } from "../accounts/registration.ts";
import { errorPage, invitationNeeded } from "../accounts/views.ts";
import { findVouchedAccount } from "../../people/auth/vouched-account.ts";
import { realmUrl } from "../../organization/realm/address.ts";
import { readApp } from "../sign-in/app-login.ts";
import { completeSignIn } from "../sign-in/complete-sign-in.ts";
import { nextPage } from "../sign-in/next-page.ts";
import { brandOf, realmPages } from "../sign-in/realm-page.ts";
import type { Visit } from "../sign-in/visit.ts";
import {
  clearPendingSignIn,
  pendingSeconds,
  pendingSignInCookie,
  readPendingSignIn,
  type StoredSignIn,
} from "./pending-sign-in.ts";
import { openIdBackend } from "./method.ts";
import { isOpenIdSetUp, OpenIdProvider, ProviderProblem } from "./provider.ts";
import * as views from "./views.ts";

const limit = { calls: 100, seconds: 60 };
/** A cookie holds about 4,000 characters. */
const maxNextLength = 1000;
/** The desktop app's name in its User-Agent header. */
const desktopApp = "ZulipElectron";

export function openIdPages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  const provider = new OpenIdProvider(ctx.config);
  return [
    ...["/accounts/login/social/:backend", "/accounts/register/social/:backend"].flatMap((path) =>
      page("GET", path, (_, visit) => start(ctx, visit, provider)),
    ),
    ...page("GET", `/complete/${openIdBackend}`, (_, visit) => callback(ctx, visit, provider), {
      finishesSignIn: true,
    }),
  ];
}

async function start(ctx: Context, visit: Visit, provider: OpenIdProvider): Promise<PlainPage | PageResponse> {
  const { request, realm } = visit;
  if (request.params["backend"] !== openIdBackend || !isOpenIdSetUp(ctx.config))
    throw new ApiError("This sign-in method is not set up on this server.", { status: 404 });
  const app = readApp(request);
  // Many providers refuse embedded browsers.
  if (!app && clientName(request.header("user-agent")) === desktopApp) return views.continueInBrowser(visit.csrfToken);
  const next = nextPage(request.form.get("next"));
  const pending: StoredSignIn = {
    realm_id: realm.id,
    until: Date.now() + pendingSeconds * 1000,
    state: randomToken(),
    nonce: randomToken(),
    verifier: randomToken(),
    redirectUri: `${realmUrl(ctx.config, realm, request.origin)}/complete/${openIdBackend}/`,
    next: next.length > maxNextLength ? "/" : next,
    ...(app ? { app } : {}),
  };
  // The person signed in at the provider need not be the one using the app.
  const url = await unlessProviderFails(ctx, () =>
    provider.authorizationUrl(pending, { forceLogin: app !== undefined }),
  );
  return url === undefined ? views.providerFailed : redirect(url, [pendingSignInCookie(ctx, request.browser, pending)]);
}

const randomToken = (): string => randomBytes(32).toString("base64url");

async function callback(ctx: Context, visit: Visit, provider: OpenIdProvider): Promise<PageResponse> {
  const { browser } = visit.request;
  const answer = await finishSignIn(ctx, visit, provider);
  const page = "title" in answer ? plainPage(answer, brandOf(visit.realm)) : answer;
  return { ...page, cookies: [...(page.cookies ?? []), clearPendingSignIn(browser)] };
}

async function finishSignIn(ctx: Context, visit: Visit, provider: OpenIdProvider): Promise<PlainPage | PageResponse> {
  const { request, realm } = visit;
  const given = (name: string) => request.form.get(name) ?? "";
  const ended = (result: SignInResult, view: PlainPage): PlainPage => {
    ctx.metrics.signIns.inc({ method: "openid connect", result });
    return view;
  };
  const pending = readPendingSignIn(ctx, request.browser, realm, given("state"));
  if (!pending) return ended("refused", views.unknownAttempt);
  if (given("code") === "" || given("error") !== "") return ended("refused", views.notCompleted);
  const person = await unlessProviderFails(ctx, () => provider.identify(request.form, pending));
  if (!person) return ended("provider failed", views.providerFailed);
  const { email, email_verified } = person;
  if (email === undefined || email_verified !== true) return ended("refused", views.noVerifiedAddress);
  const account = await findVouchedAccount(ctx.db, realm, email);
  ctx.metrics.signIns.inc({ method: "openid connect", result: account ? "success" : "no account" });
  return account
    ? completeSignIn(ctx, visit, { ...account, method: "openid connect" }, { next: pending.next, app: pending.app })
    : startRegistration(ctx, visit, email);
}

/** For a new user. The provider has verified the address, so no mail is needed. */
async function startRegistration(ctx: Context, { realm }: Visit, email: string): Promise<PlainPage | PageResponse> {
  if (realm.invite_required) return invitationNeeded(realm);
  const objection = (await addressChecker(ctx.db, realm))(email);
  if (objection !== undefined) return errorPage(403, `${email}: ${objection}`);
  const token = await transaction(ctx.db, "register", (tx) => createRegistration(tx, ctx, realm, email));
  return redirect(`/accounts/do_confirm/${token}/`);
}

/** Logs a failure of the provider and returns undefined. */
async function unlessProviderFails<T>({ logger }: Context, request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof ProviderProblem)) throw error;
    logger.warn({ err: error }, "the OpenID Connect provider failed");
    return undefined;
  }
}
