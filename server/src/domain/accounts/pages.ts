/**
 * The pages people join by. They work without scripts; each form carries the secret of its link, which no other site
 * can know, so that nobody can be made to send one unawares.
 */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { plainPage, type PlainPage } from "../../http/pages/plain-page.ts";
import { RateLimiter } from "../../http/rate-limit.ts";
import type { Page, PageRequest } from "../../http/router.ts";
import type { Realm } from "../../http/sessions.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { checkPassword, hashPassword } from "../auth/passwords.ts";
import { findRealm } from "../realm/find-realm.ts";
import { addressObjection } from "./allowed-addresses.ts";
import { hasAccount } from "./has-account.ts";
import { join } from "./join.ts";
import { findInvitationLink, mailJoiningLink, stateOfInvitationLink } from "./join-link.ts";
import { peekLink, takeLink } from "./open-link.ts";
import { checkFullName } from "../users/full-name.ts";
import * as views from "./views.ts";

/** How often these may be opened and sent from one network address. */
const tries = { calls: 30, seconds: 60 };

type Serve = (ctx: Context, realm: Realm, request: PageRequest) => Promise<PlainPage>;

export function accountPages(ctx: Context): Page[] {
  const limiter = new RateLimiter(tries);
  const page = (method: "GET" | "POST", path: string, serve: Serve): Page => ({
    path,
    method,
    serve: async (request) => {
      try {
        if (ctx.config.rateLimits) limiter.count(request.ip);
        if (method === "POST" && request.isCrossSite)
          throw new ApiError("This came from another site.", { status: 403 });
        const realm = await findRealm(ctx.db, request.host);
        return plainPage(realm.deactivated ? views.organizationClosed(realm) : await serve(ctx, realm, request));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const answer = plainPage(views.refusal(error.status, error.message));
        return { ...answer, headers: { ...answer.headers, ...error.headers } };
      }
    },
  });
  return ["", "/"].flatMap((end) => [
    page("GET", `/accounts/do_confirm/:key${end}`, showRegistration),
    page("POST", `/accounts/register${end}`, register),
    page("GET", `/join/:key${end}`, showAddressForm),
    page("POST", `/join/:key${end}`, askForMail),
  ]);
}

async function showRegistration(ctx: Context, realm: Realm, { params }: PageRequest): Promise<PlainPage> {
  const token = params["key"] ?? "";
  const opened = await peekLink(ctx.db, realm, token);
  if (opened.state !== "open") return views.closed(realm, opened.state);
  const { email, inviter } = opened;
  const obstacle = await findObstacle(ctx, realm, email);
  if (obstacle) return obstacle;
  return views.registration({ realm, token, email, inviterName: inviter.full_name });
}

async function register(ctx: Context, realm: Realm, { form }: PageRequest): Promise<PlainPage> {
  const token = form.get("key") ?? "";
  const fullName = form.get("full_name") ?? "";
  const opened = await peekLink(ctx.db, realm, token);
  if (opened.state !== "open") return views.closed(realm, opened.state);
  const { email, inviter } = opened;
  const obstacle = await findObstacle(ctx, realm, email);
  if (obstacle) return obstacle;
  try {
    const full_name = checkFullName(fullName);
    const password = form.get("password") ?? "";
    checkPassword(password, [email, full_name]);
    const password_hash = await hashPassword(password);
    const state = await transaction(ctx.db, "join", async (tx) => {
      const taken = await takeLink(tx, realm, token);
      if (taken.state === "open") await join(tx, ctx, realm, taken, { full_name, password_hash });
      return taken.state;
    });
    return state === "open" ? views.joined(realm, email) : views.closed(realm, state);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (await hasAccount(ctx.db, realm, email)) return views.alreadyJoined(realm, email);
    return views.registration({
      realm,
      token,
      email,
      inviterName: inviter.full_name,
      fullName,
      problem: error.message,
    });
  }
}

/** What keeps somebody with this address from joining, whatever name and password they choose. */
async function findObstacle(ctx: Context, realm: Realm, email: string): Promise<PlainPage | undefined> {
  if (await hasAccount(ctx.db, realm, email)) return views.alreadyJoined(realm, email);
  const objection = (await addressObjection(ctx.db, realm))(email);
  return objection === undefined ? undefined : views.refusal(403, `${email}: ${objection}`);
}

async function showAddressForm(ctx: Context, realm: Realm, { params }: PageRequest): Promise<PlainPage> {
  const token = params["key"] ?? "";
  const state = await stateOfInvitationLink(ctx.db, await findInvitationLink(ctx.db, realm, token));
  return state === "open" ? views.addressForm({ realm, token }) : views.closed(realm, state);
}

async function askForMail(ctx: Context, realm: Realm, { params, form }: PageRequest): Promise<PlainPage> {
  const token = params["key"] ?? "";
  const email = form.get("email") ?? "";
  const link = await findInvitationLink(ctx.db, realm, token);
  const state = await stateOfInvitationLink(ctx.db, link);
  if (!link || state !== "open") return views.closed(realm, state === "open" ? "unknown" : state);
  try {
    await transaction(ctx.db, "mail joining link", (tx) => mailJoiningLink(tx, ctx, realm, link, email));
    return views.lookIntoMail(realm, email);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return views.addressForm({ realm, token, email, problem: error.message, status: error.status });
  }
}
