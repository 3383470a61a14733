/** Resetting a password with a link sent by mail, and finding forgotten accounts. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { plainPage, type PlainPage } from "../../../http/pages/plain-page.ts";
import { RateLimiter } from "../../../http/rate-limit.ts";
import type { Page, PageResponse } from "../../../http/page.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { rememberDevice } from "../../people/auth/known-device.ts";
import { checkPassword, hashPassword } from "../../people/auth/passwords.ts";
import { passwordPages } from "../identity-providers/password-pages.ts";
import { mailFoundAccounts } from "./find-accounts.ts";
import { mailLimit } from "./mail-limit.ts";
import { mailPasswordReset, peekReset, resetPassword, resetPath } from "./password-reset.ts";
import { brandOf, realmPages } from "./realm-page.ts";
import * as views from "./reset-views.ts";
import { checkYourMail } from "./views.ts";
import type { Visit } from "./visit.ts";

const limit = { calls: 30, seconds: 60 };

export function resetPages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  const passwordPage = passwordPages(ctx, limit);
  const mails = new RateLimiter(mailLimit);
  return [
    ...passwordPage("GET", resetPath, async (_ctx, visit) => views.resetRequestPage({ visit })),
    ...passwordPage("POST", resetPath, (_, visit) => requestReset(ctx, visit, mails)),
    // The reference's URLs name the account, too. The token alone is enough here.
    ...[`${resetPath}/:token`, `${resetPath}/:account/:token`].flatMap((path) => [
      ...passwordPage("GET", path, showNewPassword),
      ...passwordPage("POST", path, setNewPassword),
    ]),
    ...page("GET", "/accounts/find", async (_ctx, visit) => views.findAccountsPage({ visit })),
    ...page("POST", "/accounts/find", (_, visit) => requestAccountList(ctx, visit, mails)),
  ];
}

async function requestReset(ctx: Context, visit: Visit, mails: RateLimiter): Promise<PlainPage> {
  const email = visit.request.form.get("email") ?? "";
  try {
    if (ctx.config.rateLimits) mails.count(visit.request.ip);
    await transaction(ctx.db, "mail password reset", (tx) => mailPasswordReset(tx, ctx, visit.realm, email));
    return checkYourMail(email, "Open the link in it to choose a new password.");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    return views.resetRequestPage({ visit, email, problem: error.message, status: error.status });
  }
}

async function showNewPassword(ctx: Context, visit: Visit): Promise<PlainPage> {
  const { realm, request } = visit;
  const token = request.params["token"] ?? "";
  const reset = await peekReset(ctx.db, realm, token);
  return reset.state === "open"
    ? views.newPassword({ visit, token, email: reset.user.delivery_email })
    : views.closedLink(reset.state);
}

async function setNewPassword(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  const token = request.params["token"] ?? "";
  const reset = await peekReset(ctx.db, realm, token);
  if (reset.state !== "open") return views.closedLink(reset.state);
  const { delivery_email: email, full_name } = reset.user;
  try {
    const password = request.form.get("password") ?? "";
    await checkPassword(password, [email, full_name]);
    const chosen = { hash: await hashPassword(password), keepsKeys: views.keepsKeys(request.form) };
    const done = await revoke(ctx, "reset password", (tx) => resetPassword(tx, realm, token, chosen));
    if (done.state !== "open") return views.closedLink(done.state);
    // This person can read the account's mail, so other people's failed attempts must not lock them out.
    const cookies = rememberDevice(ctx, request.browser, done.user.id);
    return { ...plainPage(views.passwordSet(email), brandOf(realm)), cookies };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return views.newPassword({
      visit,
      token,
      email,
      keepsKeys: views.keepsKeys(request.form),
      problem: error.message,
      status: error.status,
    });
  }
}

async function requestAccountList(ctx: Context, visit: Visit, mails: RateLimiter): Promise<PlainPage> {
  const email = visit.request.form.get("email") ?? "";
  try {
    if (ctx.config.rateLimits) mails.count(visit.request.ip);
    await transaction(ctx.db, "mail found accounts", (tx) => mailFoundAccounts(tx, ctx, visit.realm, email));
    return checkYourMail(email, "It lists the organizations on this server where this address has an account.");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    return views.findAccountsPage({ visit, email, problem: error.message, status: error.status });
  }
}
