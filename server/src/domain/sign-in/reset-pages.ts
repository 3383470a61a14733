/** Choosing a new password by a link in a mail, and looking for accounts one has forgotten of. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { revoke } from "../../events/revoke.ts";
import type { PlainPage } from "../../http/pages/plain-page.ts";
import { RateLimiter } from "../../http/rate-limit.ts";
import type { Page } from "../../http/router.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { checkPassword, hashPassword } from "../auth/passwords.ts";
import { mailFoundAccounts } from "./find-accounts.ts";
import { mailLimit } from "./mail-limit.ts";
import { mailPasswordReset, peekReset, resetPassword, resetPath } from "./password-reset.ts";
import { realmPages } from "./realm-page.ts";
import * as views from "./reset-views.ts";
import { lookIntoMail } from "./views.ts";
import type { Visit } from "./visit.ts";

const limit = { calls: 30, seconds: 60 };

export function resetPages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  const mails = new RateLimiter(mailLimit);
  return [
    ...page("GET", resetPath, async (_ctx, visit) => views.askForReset({ visit })),
    ...page("POST", resetPath, (_, visit) => askForReset(ctx, visit, mails)),
    // Elsewhere addresses name the account, too; the token alone does.
    ...[`${resetPath}/:token`, `${resetPath}/:account/:token`].flatMap((path) => [
      ...page("GET", path, showNewPassword),
      ...page("POST", path, setNewPassword),
    ]),
    ...page("GET", "/accounts/find", async (_ctx, visit) => views.askForAccounts({ visit })),
    ...page("POST", "/accounts/find", (_, visit) => askForAccounts(ctx, visit, mails)),
  ];
}

async function askForReset(ctx: Context, visit: Visit, mails: RateLimiter): Promise<PlainPage> {
  const email = visit.request.form.get("email") ?? "";
  try {
    if (ctx.config.rateLimits) mails.count(visit.request.ip);
    await transaction(ctx.db, "mail password reset", (tx) => mailPasswordReset(tx, ctx, visit.realm, email));
    return lookIntoMail(email, "Open the link in it to choose a new password.");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    return views.askForReset({ visit, email, problem: error.message, status: error.status });
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

async function setNewPassword(ctx: Context, visit: Visit): Promise<PlainPage> {
  const { realm, request } = visit;
  const token = request.params["token"] ?? "";
  const reset = await peekReset(ctx.db, realm, token);
  if (reset.state !== "open") return views.closedLink(reset.state);
  const { delivery_email: email, full_name } = reset.user;
  try {
    const password = request.form.get("password") ?? "";
    checkPassword(password, [email, full_name]);
    const newHash = await hashPassword(password);
    const { state } = await revoke(ctx, "reset password", (tx) => resetPassword(tx, realm, token, newHash));
    if (state !== "open") return views.closedLink(state);
    return views.passwordSet(email);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return views.newPassword({ visit, token, email, problem: error.message, status: error.status });
  }
}

async function askForAccounts(ctx: Context, visit: Visit, mails: RateLimiter): Promise<PlainPage> {
  const email = visit.request.form.get("email") ?? "";
  try {
    if (ctx.config.rateLimits) mails.count(visit.request.ip);
    await transaction(ctx.db, "mail found accounts", (tx) => mailFoundAccounts(tx, ctx, visit.realm, email));
    return lookIntoMail(email, "It lists the organizations here that have an account for this address.");
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    return views.askForAccounts({ visit, email, problem: error.message, status: error.status });
  }
}
