/**
 * Signing in with an OpenID Connect provider, by the authorization code flow: the browser is sent to the provider with a
 * state tied to this browser, and comes back with a code that only this server can redeem, once. The provider is the
 * operator's, for all organizations, or one that an organization has chosen for itself.
 */
import { randomBytes } from "node:crypto";
import type { Context } from "../../../context.ts";
import { redirect, plainPage, type PlainPage } from "../../../http/pages/plain-page.ts";
import type { Page, PageResponse } from "../../../http/page.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import type { SignInResult } from "../../../platform/metrics.ts";
import { addressChecker } from "../../organization/realm-domains/allowed-addresses.ts";
import { createRegistration } from "../accounts/registration.ts";
import { errorPage, invitationNeeded } from "../accounts/views.ts";
import { refuseOtherMethods } from "../../people/auth/sign-in-methods.ts";
import { findVouchedAccount } from "../../people/auth/vouched-account.ts";
import { realmUrl } from "../../organization/realm/address.ts";
import { ProviderClients } from "../identity-providers/clients.ts";
import { logoutPages } from "../identity-providers/logout-page.ts";
import { openIdBackend } from "../identity-providers/methods.ts";
import {
  clearPendingSignIn,
  pendingSeconds,
  pendingSignInCookie,
  readPendingSignIn,
  type StoredSignIn,
} from "../identity-providers/pending-sign-in.ts";
import {
  accessSignInProvider,
  beginSignIn,
  notSetUp,
  signInPerson,
  unlessProviderFails,
} from "../identity-providers/provider-sign-in.ts";
import { callbackPath, type ProviderRow } from "../identity-providers/queries.ts";
import { useOnce } from "../identity-providers/use-once.ts";
import * as views from "../identity-providers/views.ts";
import { completeSignIn } from "../sign-in/complete-sign-in.ts";
import { brandOf, realmPages } from "../sign-in/realm-page.ts";
import type { Visit } from "../sign-in/visit.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { isOpenIdSetUp, OpenIdProvider, operatorsProvider } from "./provider.ts";

const limit = { calls: 100, seconds: 60 };
/** In the audit log and metrics. */
const methodName = "openid connect";
const failed = "the OpenID Connect provider failed";

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
  const own: FindMethod = async (visit) => {
    const row = await accessSignInProvider(ctx, visit, "oidc");
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

async function start(ctx: Context, visit: Visit, { client, row, path }: Method): Promise<PlainPage | PageResponse> {
  const { request, realm } = visit;
  const begun = beginSignIn(visit);
  if ("page" in begun) return begun.page;
  const pending: StoredSignIn = {
    ...begun.common,
    ...(row ? { provider_id: row.id } : {}),
    state: randomToken(),
    nonce: randomToken(),
    verifier: randomToken(),
    redirectUri: `${realmUrl(ctx.config, realm, request.origin)}${path}/`,
  };
  // The person signed in at the provider need not be the one using the app.
  const forceLogin = pending.app !== undefined;
  const url = await unlessProviderFails(ctx, failed, () => client.authorizationUrl(pending, { forceLogin }));
  if (url === undefined) return views.providerFailed;
  return redirect(url, [pendingSignInCookie("openid", ctx, request.browser, pending)]);
}

const randomToken = (): string => randomBytes(32).toString("base64url");

async function callback(ctx: Context, visit: Visit, method: Method): Promise<PageResponse> {
  const { browser } = visit.request;
  const answer = await finishSignIn(ctx, visit, method);
  const page = "title" in answer ? plainPage(answer, brandOf(visit.realm)) : answer;
  return { ...page, cookies: [...(page.cookies ?? []), clearPendingSignIn("openid", browser)] };
}

async function finishSignIn(ctx: Context, visit: Visit, { client, row }: Method): Promise<PlainPage | PageResponse> {
  const { request, realm } = visit;
  const given = (name: string) => request.form.get(name) ?? "";
  const ended = (result: SignInResult, view: PlainPage): PlainPage => {
    ctx.metrics.signIns.inc({ method: methodName, result });
    return view;
  };
  const pending = readPendingSignIn("openid", ctx, request.browser, realm, given("state"));
  if (!pending || pending.provider_id !== row?.id) return ended("refused", views.unknownAttempt);
  if (given("code") === "" || given("error") !== "") return ended("refused", views.notCompleted);
  // A copy of the browser's cookie and URL does not work a second time, wherever it is tried.
  const isFirst = await useOnce(ctx.db, realm.id, `state ${pending.state}`, 2 * pendingSeconds);
  if (!isFirst) return ended("refused", views.unknownAttempt);
  const person = await unlessProviderFails(ctx, failed, () =>
    client.identify(request.form, pending, row?.groups_claim),
  );
  if (!person) return ended("provider failed", views.providerFailed);
  if (row) return signInPerson(ctx, visit, { row, person, method: methodName }, pending);
  const { email, email_verified } = person;
  if (email === undefined || email_verified !== true) return ended("refused", views.noVerifiedAddress);
  const account = await findVouchedAccount(ctx.db, realm, email);
  ctx.metrics.signIns.inc({ method: methodName, result: account ? "success" : "no account" });
  return account
    ? completeSignIn(ctx, visit, { ...account, method: methodName }, { next: pending.next, app: pending.app })
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
