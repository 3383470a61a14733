/**
 * Signing in with an OpenID Connect provider, by the authorization code flow: the browser is sent to the provider with a
 * state tied to this browser, and comes back with a code that only this server can redeem, once. The provider is the
 * operator's, for all organizations, or one that an organization has chosen for itself.
 */
import { randomBytes } from "node:crypto";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { clientName } from "../../../http/client-name.ts";
import { redirect, plainPage, type PlainPage } from "../../../http/pages/plain-page.ts";
import type { Page, PageResponse } from "../../../http/page.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import type { SignInResult } from "../../../platform/metrics.ts";
import { addressChecker } from "../../organization/realm-domains/allowed-addresses.ts";
import { createRegistration } from "../accounts/registration.ts";
import { errorPage, invitationNeeded } from "../accounts/views.ts";
import { refuseOtherMethods } from "../../people/auth/sign-in-methods.ts";
import { findVouchedAccount } from "../../people/auth/vouched-account.ts";
import { realmUrl } from "../../organization/realm/address.ts";
import { ProviderClients } from "../identity-providers/clients.ts";
import { logoutPages } from "../identity-providers/logout-page.ts";
import { callbackPath, findProvider, type ProviderRow } from "../identity-providers/queries.ts";
import { resolveAccount } from "../identity-providers/resolve-account.ts";
import { useOnce } from "../identity-providers/use-once.ts";
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
import { boundedFetch } from "./bounded-fetch.ts";
import { isOpenIdSetUp, OpenIdProvider, operatorsProvider, ProviderProblem, type Person } from "./provider.ts";
import * as views from "./views.ts";

const limit = { calls: 100, seconds: 60 };
/** A cookie holds about 4,000 characters. */
const maxNextLength = 1000;
/** The desktop app's name in its User-Agent header. */
const desktopApp = "ZulipElectron";

/** The provider of a sign-in. */
interface Method {
  client: OpenIdProvider;
  /** The organization's own; undefined for the operator's. */
  row: ProviderRow | undefined;
  /** Where people return to. */
  path: string;
}

type FindMethod = (visit: Visit) => Promise<Method>;

export function openIdPages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  const clients = new ProviderClients(ctx);
  const client = new OpenIdProvider(operatorsProvider(ctx.config), boundedFetch);
  const operators: FindMethod = async ({ realm }) => {
    if (!isOpenIdSetUp(ctx.config)) throw notSetUp();
    refuseOtherMethods(realm);
    return { client, row: undefined, path: `/complete/${openIdBackend}` };
  };
  const own: FindMethod = async ({ realm, request }) => {
    const row = await findProvider(ctx.db, realm.id, request.params["provider"] ?? "");
    if (!row?.is_enabled) throw notSetUp();
    refuseOtherMethods(realm, row.id);
    return { client: clients.of(row), row, path: callbackPath(row.key) };
  };
  const begin = (suffix: string, find: FindMethod) =>
    ["login", "register"].flatMap((word) =>
      page("GET", `/accounts/${word}/social/:backend${suffix}`, async (_, visit) => {
        if (visit.request.params["backend"] !== openIdBackend) throw notSetUp();
        return start(ctx, visit, await find(visit));
      }),
    );
  const end = (suffix: string, find: FindMethod) =>
    page("GET", `/complete/${openIdBackend}${suffix}`, async (_, visit) => callback(ctx, visit, await find(visit)), {
      finishesSignIn: true,
    });
  return [
    ...begin("", operators),
    ...begin("/:provider", own),
    ...end("", operators),
    ...end("/:provider", own),
    ...logoutPages(ctx, clients),
  ];
}

const notSetUp = () => new ApiError("This sign-in method is not set up on this server.", { status: 404 });

async function start(ctx: Context, visit: Visit, { client, row, path }: Method): Promise<PlainPage | PageResponse> {
  const { request, realm } = visit;
  const app = readApp(request);
  // Many providers refuse embedded browsers.
  if (!app && clientName(request.header("user-agent")) === desktopApp) return views.continueInBrowser(visit.csrfToken);
  const next = nextPage(request.form.get("next"));
  const pending: StoredSignIn = {
    realm_id: realm.id,
    ...(row ? { provider_id: row.id } : {}),
    until: Date.now() + pendingSeconds * 1000,
    state: randomToken(),
    nonce: randomToken(),
    verifier: randomToken(),
    redirectUri: `${realmUrl(ctx.config, realm, request.origin)}${path}/`,
    next: next.length > maxNextLength ? "/" : next,
    ...(app ? { app } : {}),
  };
  // The person signed in at the provider need not be the one using the app.
  const url = await unlessProviderFails(ctx, () => client.authorizationUrl(pending, { forceLogin: app !== undefined }));
  return url === undefined ? views.providerFailed : redirect(url, [pendingSignInCookie(ctx, request.browser, pending)]);
}

const randomToken = (): string => randomBytes(32).toString("base64url");

async function callback(ctx: Context, visit: Visit, method: Method): Promise<PageResponse> {
  const { browser } = visit.request;
  const answer = await finishSignIn(ctx, visit, method);
  const page = "title" in answer ? plainPage(answer, brandOf(visit.realm)) : answer;
  return { ...page, cookies: [...(page.cookies ?? []), clearPendingSignIn(browser)] };
}

async function finishSignIn(ctx: Context, visit: Visit, { client, row }: Method): Promise<PlainPage | PageResponse> {
  const { request, realm } = visit;
  const given = (name: string) => request.form.get(name) ?? "";
  const ended = (result: SignInResult, view: PlainPage): PlainPage => {
    ctx.metrics.signIns.inc({ method: "openid connect", result });
    return view;
  };
  const pending = readPendingSignIn(ctx, request.browser, realm, given("state"));
  if (!pending || pending.provider_id !== row?.id) return ended("refused", views.unknownAttempt);
  if (given("code") === "" || given("error") !== "") return ended("refused", views.notCompleted);
  // A copy of the browser's cookie and URL does not work a second time, wherever it is tried.
  const isFirst = await useOnce(ctx.db, realm.id, `state ${pending.state}`, 2 * pendingSeconds);
  if (!isFirst) return ended("refused", views.unknownAttempt);
  const person = await unlessProviderFails(ctx, () => client.identify(request.form, pending, row?.groups_claim));
  if (!person) return ended("provider failed", views.providerFailed);
  const destination = { next: pending.next, app: pending.app };
  if (row) {
    const resolved = await resolve(ctx, visit, row, person);
    const result = "refusal" in resolved ? "refused" : "success";
    ctx.metrics.signIns.inc({ method: "openid connect", result });
    return "refusal" in resolved ? resolved.refusal : completeSignIn(ctx, visit, resolved.account, destination);
  }
  const { email, email_verified } = person;
  if (email === undefined || email_verified !== true) return ended("refused", views.noVerifiedAddress);
  const account = await findVouchedAccount(ctx.db, realm, email);
  ctx.metrics.signIns.inc({ method: "openid connect", result: account ? "success" : "no account" });
  return account
    ? completeSignIn(ctx, visit, { ...account, method: "openid connect" }, destination)
    : startRegistration(ctx, visit, email);
}

function resolve(ctx: Context, { realm, request }: Visit, provider: ProviderRow, person: Person) {
  const from = { ip: request.address, id: request.id };
  const act = (tx: Tx) => resolveAccount(tx, ctx, { realm, provider, person, request: from });
  const name = "resolve external identity";
  // Whoever leaves a group at the provider loses what it permits here.
  return provider.groups_claim === "" ? transaction(ctx.db, name, act) : revoke(ctx, name, act);
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
