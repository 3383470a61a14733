/**
 * Signing in with a SAML provider of an organization: the browser is sent to the provider with a request, and a page of the
 * provider makes it post the response to us. Cookies do not come along with a post of another site, so the response is
 * verified and put aside, and the browser is redirected to complete the sign-in with its cookies.
 */
import type { Context } from "../../../context.ts";
import { plainPage, privateHeaders, redirect, type PlainPage } from "../../../http/pages/plain-page.ts";
import type { Page, PageResponse } from "../../../http/page.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import type { SignInResult } from "../../../platform/metrics.ts";
import { realmUrl } from "../../organization/realm/address.ts";
import { refuseOtherMethods } from "../../people/auth/sign-in-methods.ts";
import {
  clearPendingSignIn,
  peekPendingSignIn,
  pendingSeconds,
  pendingSignInCookie,
  readPendingSignIn,
} from "../identity-providers/pending-sign-in.ts";
import {
  accessSignInProvider,
  beginSignIn,
  notSetUp,
  signInPerson,
  unlessProviderFails,
} from "../identity-providers/provider-sign-in.ts";
import { listUsableProviders, loginPath, type ProviderRow } from "../identity-providers/queries.ts";
import * as views from "../identity-providers/views.ts";
import { brandOf, realmPages } from "../sign-in/realm-page.ts";
import type { Visit } from "../sign-in/visit.ts";
import { organizationMetadata } from "./metadata.ts";
import { acsPath, entityIdOf, metadataPath } from "./paths.ts";
import { toPerson } from "./person.ts";
import { answerRequest, createRequest, findRequestedProvider, requestUrl, takeAnswer } from "./requests.ts";
import { checkAddressed, readResponseText, type ResponseText } from "./response-text.ts";
import { samlSettingsOf } from "./settings.ts";
import { verifyInThread } from "./verifier.ts";

const limit = { calls: 100, seconds: 60 };
const method = "saml";
/** A provider that leaves out which request it answers is asked once, and not again and again. */
const againAfterMs = 30_000;

export function samlPages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  return [
    ...["login", "register"].flatMap((word) => page("GET", `/accounts/${word}/social/saml/:provider`, start)),
    ...page("POST", acsPath, receive, { isFromProvider: true }),
    ...page("GET", acsPath, complete, { finishesSignIn: true }),
    ...page("GET", metadataPath, showMetadata),
  ];
}

const siteOf = ({ config }: Context, { realm, request }: Visit): string => realmUrl(config, realm, request.origin);
const acsUrlOf = (site: string): string => `${site}${acsPath}/`;

async function showMetadata(ctx: Context, visit: Visit): Promise<PageResponse> {
  return {
    status: 200,
    type: "application/samlmetadata+xml",
    headers: privateHeaders,
    body: organizationMetadata(siteOf(ctx, visit)),
  };
}

async function start(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { request, realm } = visit;
  const row = await accessSignInProvider(ctx, visit, "saml");
  const begun = beginSignIn(visit);
  if ("page" in begun) return begun.page;
  const before = peekPendingSignIn("saml", ctx, request.browser, realm);
  const isLoop = before?.provider_id === row.id && before.until > Date.now() + pendingSeconds * 1000 - againAfterMs;
  if (request.form.has("unsolicited") && isLoop) return ended(ctx, "provider failed", views.providerFailed);
  const state = await transaction(ctx.db, "create SAML request", (tx) => createRequest(tx, row));
  const site = siteOf(ctx, visit);
  const pending = {
    ...begun.common,
    provider_id: row.id,
    state,
    nonce: "",
    verifier: "",
    redirectUri: acsUrlOf(site),
  };
  const url = await requestUrl(samlSettingsOf(row).sso_url, {
    id: state,
    entityId: entityIdOf(site),
    acsUrl: pending.redirectUri,
    // The person signed in at the provider need not be the one using the app.
    forceLogin: pending.app !== undefined,
  });
  return redirect(url, [pendingSignInCookie("saml", ctx, request.browser, pending)]);
}

function ended(ctx: Context, result: SignInResult, view: PlainPage): PlainPage {
  ctx.metrics.signIns.inc({ method, result });
  return view;
}

const refused = "a SAML response was refused";

async function receive(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  const response = await unlessProviderFails(ctx, refused, () =>
    readResponseText(request.form.get("SAMLResponse") ?? ""),
  );
  if (!response) return ended(ctx, "provider failed", views.providerFailed);
  const { inResponseTo: requestId } = response;
  if (requestId === undefined) return beginInstead(ctx, visit, response);
  const row = await findRequestedProvider(ctx.db, realm.id, requestId);
  if (!row?.is_enabled) return ended(ctx, "refused", views.unknownAttempt);
  refuseOtherMethods(realm, row.id);
  if (response.status !== "Success") return ended(ctx, "refused", views.notCompleted);
  const stated = await unlessProviderFails(ctx, refused, () =>
    verifyResponse(row, response, { site: siteOf(ctx, visit), requestId }),
  );
  if (!stated) return ended(ctx, "provider failed", views.providerFailed);
  const ticket = await transaction(ctx.db, "answer SAML request", (tx) =>
    answerRequest(tx, row, { requestId, ...stated }),
  );
  if (ticket === undefined) return ended(ctx, "refused", views.unknownAttempt);
  return redirect(`${acsPath}/?${new URLSearchParams({ request: requestId, ticket }).toString()}`);
}

/** Somebody comes from the provider's own page. Nothing ties that to this browser, so a sign-in begins here, which does. */
async function beginInstead(ctx: Context, { realm }: Visit, { issuer }: ResponseText): Promise<PageResponse> {
  const rows = await listUsableProviders(ctx.db, realm);
  const row = rows.find((known) => known.kind === "saml" && known.issuer === issuer);
  if (!row) throw notSetUp();
  return redirect(`${loginPath(row)}?unsolicited=true`);
}

/** Throws a ProviderProblem unless it is this provider's answer to this request. */
async function verifyResponse(
  row: ProviderRow,
  response: ResponseText,
  { site, requestId }: { site: string; requestId: string },
) {
  const { certificates, requires_signed_response } = samlSettingsOf(row);
  const acsUrl = acsUrlOf(site);
  checkAddressed(response, { acsUrl, issuer: row.issuer });
  const statement = await verifyInThread({
    xml: response.xml,
    issuer: row.issuer,
    certificates,
    // A signature that is there has to be right.
    mustSignResponse: requires_signed_response || response.isResponseSigned,
    entityId: entityIdOf(site),
    acsUrl,
    requestId,
  });
  return { assertionId: statement.assertionId, person: toPerson(row, statement) };
}

async function complete(ctx: Context, visit: Visit): Promise<PageResponse> {
  const { browser } = visit.request;
  const answer = await finish(ctx, visit);
  const page = "title" in answer ? plainPage(answer, brandOf(visit.realm)) : answer;
  return { ...page, cookies: [...(page.cookies ?? []), clearPendingSignIn("saml", browser)] };
}

async function finish(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  const [requestId, ticket] = [request.form.get("request") ?? "", request.form.get("ticket") ?? ""];
  const pending = readPendingSignIn("saml", ctx, request.browser, realm, requestId);
  if (pending?.provider_id === undefined) return ended(ctx, "refused", views.unknownAttempt);
  const taken = { realmId: realm.id, providerId: pending.provider_id, requestId, ticket };
  const person = await transaction(ctx.db, "take SAML response", (tx) => takeAnswer(tx, taken));
  const [row] = (await listUsableProviders(ctx.db, realm)).filter(({ id }) => id === pending.provider_id);
  if (!person || !row) return ended(ctx, "refused", views.unknownAttempt);
  return signInPerson(ctx, visit, { row, person, method }, pending);
}
