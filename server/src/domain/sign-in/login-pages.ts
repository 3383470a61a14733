/** Signing in and out in a browser. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { revoke } from "../../events/revoke.ts";
import { browserCredentials, signedOutCookies } from "../../http/browser-session.ts";
import { findSignedIn } from "../../http/page-account.ts";
import { leadTo, type PlainPage } from "../../http/pages/plain-page.ts";
import type { Page, PageAnswer } from "../../http/router.ts";
import { endBrowserSession } from "../auth/browser-sessions.ts";
import { proveAccount } from "../auth/password-login.ts";
import { appAddress, readPad } from "./app-login.ts";
import { nextPage } from "./next-page.ts";
import { signIn } from "./sign-in.ts";
import { jsonAnswer, realmPages, wantsJson } from "./realm-page.ts";
import { loginForm } from "./views.ts";
import type { Visit } from "./visit.ts";
import { waitingTime } from "./waiting-time.ts";

/** How often these may be opened and sent from one network address; a whole office may share one. */
const limit = { calls: 100, seconds: 60 };

export function loginPages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  return [
    ...["/login", "/accounts/login"].flatMap((path) => [...page("GET", path, showLogin), ...page("POST", path, logIn)]),
    ...page("POST", "/accounts/logout", logOut),
  ];
}

async function showLogin(ctx: Context, visit: Visit): Promise<PlainPage | PageAnswer> {
  const { request } = visit;
  const pad = readPad(request);
  const next = nextPage(request.form.get("next"));
  // An app is given a key for the password alone: who is signed in here need not be who holds the phone.
  if (pad === undefined && (await findSignedIn(ctx, request))) return leadTo(next);
  return loginForm({ visit, next, pad, email: request.form.get("email") ?? "" });
}

async function logIn(ctx: Context, visit: Visit): Promise<PlainPage | PageAnswer> {
  const { realm, request } = visit;
  const pad = readPad(request);
  const next = nextPage(request.form.get("next"));
  const email = request.form.get("username")?.trim() ?? "";
  try {
    const account = await proveAccount(ctx, realm, email, request.form.get("password") ?? "");
    if (pad !== undefined) return leadTo(await appAddress(ctx, realm, account, request, pad));
    const cookies = await signIn(ctx, request, account);
    return wantsJson(request) ? jsonAnswer({ result: "success", msg: "", next }, { cookies }) : leadTo(next, cookies);
  } catch (error) {
    if (!(error instanceof ApiError) || wantsJson(request)) throw error;
    return loginForm({ visit, next, pad, email, problem: problemText(error), status: error.status });
  }
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
