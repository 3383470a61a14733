/** Signing in and out in a browser, which may have been opened by an app. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { browserCredentials, signedOutCookies } from "../../../http/browser-session.ts";
import { findSignedIn } from "../../../http/page-account.ts";
import { redirect, type PlainPage } from "../../../http/pages/plain-page.ts";
import { networkOf } from "../../../http/rate-limit.ts";
import type { Page, PageResponse } from "../../../http/page.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { endBrowserSession } from "../../people/auth/browser-sessions.ts";
import { authenticateByPassword } from "../../people/auth/password-login.ts";
import { refuseOtherMethods } from "../../people/auth/sign-in-methods.ts";
import { findKeeper } from "../ldap/keeper.ts";
import { readApp } from "./app-login.ts";
import { askToSignIn } from "./ask-to-sign-in.ts";
import { continueAfterPassword } from "./code-pages.ts";
import { loginTokenPath, peekLoginToken, takeLoginToken } from "./login-token.ts";
import { nextPage } from "./next-page.ts";
import { signIn } from "./sign-in.ts";
import { jsonAnswer, realmPages, wantsJson } from "./realm-page.ts";
import { tokenLogin, tokenUsed } from "./views.ts";
import type { Visit } from "./visit.ts";
import { waitingTime } from "./waiting-time.ts";

/** Requests allowed per IP address; a whole office may share one. */
const limit = { calls: 100, seconds: 60 };

export function loginPages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  return [
    ...["/login", "/accounts/login"].flatMap((path) => [...page("GET", path, showLogin), ...page("POST", path, logIn)]),
    ...page("GET", `${loginTokenPath}/:token`, showTokenLogin),
    ...page("POST", `${loginTokenPath}/:token`, logInByToken),
    ...page("POST", "/accounts/logout", logOut),
  ];
}

async function showLogin(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { request } = visit;
  const app = readApp(request);
  const next = nextPage(request.form.get("next"));
  // An app always needs the password: the person signed in here need not be the one using the app. And whoever has to prove
  // who they are may sign in again.
  const asksAnyway = app !== undefined || request.form.has("again");
  if (!asksAnyway && (await findSignedIn(ctx, request))) return redirect(next);
  return askToSignIn(ctx, visit, { email: request.form.get("email") ?? "" });
}

async function logIn(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  const app = readApp(request);
  const next = nextPage(request.form.get("next"));
  const email = request.form.get("username")?.trim() ?? "";
  try {
    const origin = { ip: request.address, id: request.id };
    const from = { network: networkOf(request.ip), browser: request.browser, request: origin };
    const keeper = await findKeeper(ctx, realm, origin);
    const password = request.form.get("password") ?? "";
    const account = await authenticateByPassword(ctx, realm, email, password, from, keeper);
    return await continueAfterPassword(ctx, visit, account, { next, app });
  } catch (error) {
    if (!(error instanceof ApiError) || wantsJson(request)) throw error;
    return askToSignIn(ctx, visit, { email, problem: problemText(error), status: error.status });
  }
}

/**
 * Asks for confirmation and shows whose account it is: following a link or loading an image must not sign anybody in to the
 * account of the person who made the link. Only the form signs in.
 */
async function showTokenLogin(ctx: Context, visit: Visit): Promise<PlainPage> {
  const { realm, request } = visit;
  const token = request.params["token"] ?? "";
  const account = await peekLoginToken(ctx.db, realm, token);
  return account ? tokenLogin(visit, `${loginTokenPath}/${encodeURIComponent(token)}/`, account) : tokenUsed;
}

async function logInByToken(ctx: Context, { realm, request }: Visit): Promise<PlainPage | PageResponse> {
  const token = request.params["token"] ?? "";
  const user = await transaction(ctx.db, "sign in by token", (tx) => takeLoginToken(tx, realm, token));
  // The organization may have restricted sign-ins since the token was created.
  if (user) refuseOtherMethods(realm, user.providerSession?.provider_id);
  ctx.metrics.signIns.inc({ method: "login link", result: user ? "success" : "refused" });
  return user ? redirect("/", await signIn(ctx, request, { ...user, method: "login link" })) : tokenUsed;
}

function problemText(error: ApiError): string {
  if (error.code === "AUTHENTICATION_FAILED") return "Wrong e-mail address or password.";
  const wait = waitingTime(error);
  return wait === undefined ? `${error.message}.` : `Too many attempts. Try again ${wait}.`;
}

async function logOut(ctx: Context, { request }: Visit): Promise<PageResponse> {
  const session = browserCredentials(request.browser);
  if (session) await revoke(ctx, "log out", (tx) => endBrowserSession(tx, session));
  const cookies = signedOutCookies(request.browser);
  return wantsJson(request) ? jsonAnswer({ result: "success", msg: "" }, { cookies }) : redirect("/login/", cookies);
}
