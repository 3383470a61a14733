/** Signing in and out in a browser, for itself or for an app that has opened it. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { revoke } from "../../events/revoke.ts";
import { browserCredentials, signedOutCookies } from "../../http/browser-session.ts";
import { findSignedIn } from "../../http/page-account.ts";
import { leadTo, type PlainPage } from "../../http/pages/plain-page.ts";
import type { Page, PageAnswer } from "../../http/router.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { endBrowserSession } from "../auth/browser-sessions.ts";
import { proveAccount } from "../auth/password-login.ts";
import { externalMethods } from "../openid-connect/method.ts";
import { readApp } from "./app-login.ts";
import { letIn } from "./let-in.ts";
import { loginTokenPath, takeLoginToken } from "./login-token.ts";
import { nextPage } from "./next-page.ts";
import { signIn } from "./sign-in.ts";
import { jsonAnswer, realmPages, wantsJson } from "./realm-page.ts";
import { loginForm, tokenUsed } from "./views.ts";
import type { Visit } from "./visit.ts";
import { waitingTime } from "./waiting-time.ts";

/** How often these may be opened and sent from one network address; a whole office may share one. */
const limit = { calls: 100, seconds: 60 };

export function loginPages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  return [
    ...["/login", "/accounts/login"].flatMap((path) => [...page("GET", path, showLogin), ...page("POST", path, logIn)]),
    ...page("GET", `${loginTokenPath}/:token`, logInByToken),
    ...page("POST", "/accounts/logout", logOut),
  ];
}

async function showLogin(ctx: Context, visit: Visit): Promise<PlainPage | PageAnswer> {
  const { request } = visit;
  const app = readApp(request);
  const next = nextPage(request.form.get("next"));
  // An app is let in for the password alone: who is signed in here need not be who uses the app.
  if (!app && (await findSignedIn(ctx, request))) return leadTo(next);
  return loginForm({ visit, next, app, others: externalMethods(ctx.config), email: request.form.get("email") ?? "" });
}

async function logIn(ctx: Context, visit: Visit): Promise<PlainPage | PageAnswer> {
  const { realm, request } = visit;
  const app = readApp(request);
  const next = nextPage(request.form.get("next"));
  const email = request.form.get("username")?.trim() ?? "";
  try {
    const account = await proveAccount(ctx, realm, email, request.form.get("password") ?? "");
    return await letIn(ctx, visit, account, { next, app });
  } catch (error) {
    if (!(error instanceof ApiError) || wantsJson(request)) throw error;
    const others = externalMethods(ctx.config);
    return loginForm({ visit, next, app, others, email, problem: problemText(error), status: error.status });
  }
}

/** Not by a link on another site's page, which could sign somebody in as whoever made it. */
async function logInByToken(ctx: Context, { realm, request }: Visit): Promise<PlainPage | PageAnswer> {
  const token = request.params["token"] ?? "";
  if (request.isCrossSite) throw new ApiError("This came from another site.", { status: 403 });
  const user = await transaction(ctx.db, "sign in by token", (tx) => takeLoginToken(tx, realm, token));
  return user ? leadTo("/", await signIn(ctx, request, user)) : tokenUsed;
}

function problemText(error: ApiError): string {
  if (error.code === "AUTHENTICATION_FAILED") return "Wrong e-mail address or password.";
  const wait = waitingTime(error);
  return wait === undefined ? `${error.message}.` : `Too many tries. Try again ${wait}.`;
}

async function logOut(ctx: Context, { request }: Visit): Promise<PageAnswer> {
  const session = browserCredentials(request.browser);
  if (session) await revoke(ctx, "log out", (tx) => endBrowserSession(tx, session));
  const cookies = signedOutCookies(request.browser);
  return wantsJson(request) ? jsonAnswer({ result: "success", msg: "" }, { cookies }) : leadTo("/login/", cookies);
}
