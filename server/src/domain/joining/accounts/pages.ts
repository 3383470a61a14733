/** The pages for joining: with a mailed link, with a multi-use invitation link, or by open registration. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { redirect, plainPage, type PlainPage } from "../../../http/pages/plain-page.ts";
import { RateLimiter } from "../../../http/rate-limit.ts";
import type { Page, PageResponse } from "../../../http/page.ts";
import type { Realm } from "../../../identity/account.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { checkPassword, hashPassword } from "../../people/auth/passwords.ts";
import { mailLimit } from "../sign-in/mail-limit.ts";
import { passwordPages } from "../identity-providers/password-pages.ts";
import { brandOf } from "../sign-in/realm-page.ts";
import { continueWithSetUp } from "../sign-in/set-up-pages.ts";
import { signIn } from "../sign-in/sign-in.ts";
import { checkYourMail } from "../sign-in/views.ts";
import type { Visit } from "../sign-in/visit.ts";
import { lacksFactor } from "../../people/second-factors/requirement.ts";
import { checkFullName } from "../../people/users/full-name.ts";
import { addressChecker } from "../../organization/realm-domains/allowed-addresses.ts";
import { hasAccount } from "./has-account.ts";
import { join } from "./join.ts";
import { findInvitationLink, mailJoiningLink, stateOfInvitationLink } from "./join-link.ts";
import { peekLink, takeLink, type OpenLink } from "./open-link.ts";
import { mailRegistrationLink } from "./registration.ts";
import * as views from "./views.ts";

/** Requests allowed per IP address. */
const tries = { calls: 30, seconds: 60 };

export function accountPages(ctx: Context): Page[] {
  const page = passwordPages(ctx, tries);
  const mails = new RateLimiter(mailLimit);
  return [
    ...page("GET", "/accounts/do_confirm/:key", showRegistration),
    ...page("GET", "/accounts/register", showRegistration),
    ...page("POST", "/accounts/register", register),
    ...page("GET", "/join/:key", showAddressForm),
    ...page("POST", "/join/:key", requestJoiningMail),
    ...["/register", "/accounts/home"].flatMap((path) => [
      ...page("GET", path, showOpenRegistration),
      ...page("POST", path, (_, visit) => askToRegister(ctx, visit, mails)),
    ]),
  ];
}

async function showRegistration(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  const token = request.params["key"] ?? request.form.get("key") ?? "";
  if (token === "") return redirect("/register/");
  const opened = await peekLink(ctx.db, realm, token);
  if (opened.state !== "open") return views.closed(realm, opened.state);
  return (await findObstacle(ctx, realm, opened.email)) ?? views.registration({ ...formFor(visit, opened), token });
}

const formFor = (visit: Visit, { email, inviter }: OpenLink) => ({ visit, email, inviterName: inviter?.full_name });

async function register(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  const token = request.form.get("key") ?? "";
  const fullName = request.form.get("full_name") ?? "";
  const opened = await peekLink(ctx.db, realm, token);
  if (opened.state !== "open") return views.closed(realm, opened.state);
  const { email } = opened;
  const obstacle = await findObstacle(ctx, realm, email);
  if (obstacle) return obstacle;
  let wrong: "full_name" | "password" = "full_name";
  try {
    const full_name = checkFullName(fullName);
    const password = request.form.get("password") ?? "";
    wrong = "password";
    await checkPassword(password, [email, full_name]);
    const password_hash = await hashPassword(password);
    wrong = "full_name";
    const joined = await transaction(ctx.db, "join", async (tx) => {
      const taken = await takeLink(tx, realm, token);
      return taken.state === "open" ? join(tx, ctx, realm, taken, { full_name, password_hash }) : taken;
    });
    if ("state" in joined) return views.closed(realm, joined.state);
    if (await lacksFactor(ctx.db, joined))
      return await continueWithSetUp(ctx, visit, joined, { next: "/", app: undefined });
    const cookies = await signIn(ctx, request, joined);
    return { ...plainPage(views.joined(realm, email), brandOf(realm)), cookies };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (await hasAccount(ctx.db, realm, email)) return views.alreadyJoined(realm, email);
    const problem = { field: wrong, text: error.message };
    return views.registration({ ...formFor(visit, opened), token, fullName, problem });
  }
}

/** A page that explains why this address cannot join, if it cannot. */
async function findObstacle(ctx: Context, realm: Realm, email: string): Promise<PlainPage | undefined> {
  if (await hasAccount(ctx.db, realm, email)) return views.alreadyJoined(realm, email);
  const objection = (await addressChecker(ctx.db, realm))(email);
  return objection === undefined ? undefined : views.errorPage(403, `${email}: ${objection}`);
}

async function showAddressForm(ctx: Context, visit: Visit): Promise<PlainPage> {
  const { realm, request } = visit;
  const token = request.params["key"] ?? "";
  const state = await stateOfInvitationLink(ctx.db, await findInvitationLink(ctx.db, realm, token));
  return state === "open" ? views.addressForm({ visit, token }) : views.closed(realm, state);
}

async function requestJoiningMail(ctx: Context, visit: Visit): Promise<PlainPage> {
  const { realm, request } = visit;
  const token = request.params["key"] ?? "";
  const email = request.form.get("email") ?? "";
  const link = await findInvitationLink(ctx.db, realm, token);
  const state = await stateOfInvitationLink(ctx.db, link);
  if (!link || state !== "open") return views.closed(realm, state === "open" ? "unknown" : state);
  try {
    await transaction(ctx.db, "mail joining link", (tx) => mailJoiningLink(tx, ctx, realm, link, email));
    return checkYourMail(email, `Open the link in it to join ${realm.name}.`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return views.addressForm({ visit, token, email, problem: error.message, status: error.status });
  }
}

async function showOpenRegistration(_ctx: Context, visit: Visit): Promise<PlainPage> {
  return visit.realm.invite_required ? views.invitationNeeded(visit.realm) : views.openRegistration({ visit });
}

async function askToRegister(ctx: Context, visit: Visit, mails: RateLimiter): Promise<PlainPage> {
  const { realm, request } = visit;
  if (realm.invite_required) return views.invitationNeeded(realm);
  const email = request.form.get("email") ?? "";
  try {
    if (ctx.config.rateLimits) mails.count(request.ip);
    await transaction(ctx.db, "mail registration link", (tx) => mailRegistrationLink(tx, ctx, realm, email));
    return checkYourMail(email, `Open the link in it to join ${realm.name}.`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "RATE_LIMIT_HIT") throw error;
    return views.openRegistration({ visit, email, problem: error.message, status: error.status });
  }
}
