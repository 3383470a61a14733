/**
 * Signing in with a provider of OpenID Connect, by the authorization code flow: to the provider with a question that only
 * this browser can bring back an answer to, and back with a code that only we can trade.
 */
import { randomBytes } from "node:crypto";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { clientName } from "../../http/client-name.ts";
import { leadTo, plainPage, type PlainPage } from "../../http/pages/plain-page.ts";
import type { Page, PageAnswer } from "../../http/router.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { addressObjection } from "../accounts/allowed-addresses.ts";
import { createRegistration } from "../accounts/registration.ts";
import { invitationNeeded, refusal } from "../accounts/views.ts";
import { findVouchedAccount } from "../auth/vouched-account.ts";
import { realmUrl } from "../realm/address.ts";
import { readApp } from "../sign-in/app-login.ts";
import { letIn } from "../sign-in/let-in.ts";
import { nextPage } from "../sign-in/next-page.ts";
import { brandOf, realmPages } from "../sign-in/realm-page.ts";
import type { Visit } from "../sign-in/visit.ts";
import { errandCookie, errandSeconds, noErrandCookie, readErrand, type CarriedErrand } from "./errand-cookie.ts";
import { openIdBackend } from "./method.ts";
import { isOpenIdSetUp, OpenIdProvider } from "./provider.ts";
import { ProviderProblem } from "./ask-for-json.ts";
import * as views from "./views.ts";

const limit = { calls: 100, seconds: 60 };
/** A cookie holds about 4,000 characters. */
const longestNext = 1000;
/** The desktop app, as it names itself. */
const desktopApp = "ZulipElectron";

export function openIdPages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  const provider = new OpenIdProvider(ctx.config);
  return [
    ...["/accounts/login/social/:backend", "/accounts/register/social/:backend"].flatMap((path) =>
      page("GET", path, (_, visit) => start(ctx, visit, provider)),
    ),
    ...page("GET", `/complete/${openIdBackend}`, (_, visit) => comeBack(ctx, visit, provider)),
  ];
}

async function start(ctx: Context, visit: Visit, provider: OpenIdProvider): Promise<PlainPage | PageAnswer> {
  const { request, realm } = visit;
  if (request.params["backend"] !== openIdBackend || !isOpenIdSetUp(ctx.config))
    throw new ApiError("This way of signing in is not set up here.", { status: 404 });
  const app = readApp(request);
  // Many a provider takes nobody who comes from inside an app.
  if (!app && clientName(request.header("user-agent")) === desktopApp) return views.goOnInBrowser;
  const next = nextPage(request.form.get("next"));
  const errand: CarriedErrand = {
    realm_id: realm.id,
    until: Date.now() + errandSeconds * 1000,
    state: chance(),
    nonce: chance(),
    verifier: chance(),
    redirectUri: `${realmUrl(ctx.config, realm, request.origin)}/complete/${openIdBackend}/`,
    next: next.length > longestNext ? "/" : next,
    ...(app ? { app } : {}),
  };
  // Who is signed in there need not be who uses the app.
  const address = await whileItAnswers(ctx, () => provider.addressFor(errand, { isAskedAgain: app !== undefined }));
  return address === undefined ? views.noAnswer : leadTo(address, [errandCookie(ctx, request.browser, errand)]);
}

const chance = (): string => randomBytes(32).toString("base64url");

async function comeBack(ctx: Context, visit: Visit, provider: OpenIdProvider): Promise<PageAnswer> {
  const { browser } = visit.request;
  const answer = await answerReturned(ctx, visit, provider);
  const page = "title" in answer ? plainPage(answer, brandOf(visit.realm)) : answer;
  return { ...page, cookies: [...(page.cookies ?? []), noErrandCookie(browser)] };
}

async function answerReturned(ctx: Context, visit: Visit, provider: OpenIdProvider): Promise<PlainPage | PageAnswer> {
  const { request, realm } = visit;
  const given = (name: string) => request.form.get(name) ?? "";
  const errand = readErrand(ctx, request.browser, realm, given("state"));
  if (!errand) return views.unknownAttempt;
  if (given("code") === "") return views.notCompleted;
  const person = await whileItAnswers(ctx, () => provider.identify(given("code"), errand));
  if (!person) return views.noAnswer;
  const { email, email_verified } = person;
  if (email === undefined || email_verified !== true) return views.noAddress;
  const account = await findVouchedAccount(ctx.db, realm, email);
  return account ? letIn(ctx, visit, account, { next: errand.next, app: errand.app }) : welcome(ctx, visit, email);
}

/** Somebody new, whose address need not be shown to be theirs any more. */
async function welcome(ctx: Context, { realm }: Visit, email: string): Promise<PlainPage | PageAnswer> {
  if (realm.invite_required) return invitationNeeded(realm);
  const objection = (await addressObjection(ctx.db, realm))(email);
  if (objection !== undefined) return refusal(403, `${email}: ${objection}`);
  const token = await transaction(ctx.db, "register", (tx) => createRegistration(tx, ctx, realm, email));
  return leadTo(`/accounts/do_confirm/${token}/`);
}

/** Undefined when the provider fails; then the log says how. */
async function whileItAnswers<T>({ logger }: Context, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ProviderProblem)) throw error;
    logger.warn({ err: error }, "the provider of OpenID Connect failed");
    return undefined;
  }
}
