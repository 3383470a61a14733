/** What the protocols share: how a sign-in with a provider begins here, and how it ends. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { clientName } from "../../../http/client-name.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import type { PageResponse } from "../../../http/page.ts";
import type { Realm } from "../../../identity/account.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { refuseOtherMethods } from "../../people/auth/sign-in-methods.ts";
import { takesOverGroups } from "../ldap/settings.ts";
import { readApp } from "../sign-in/app-login.ts";
import { completeSignIn } from "../sign-in/complete-sign-in.ts";
import { nextPage } from "../sign-in/next-page.ts";
import type { Visit } from "../sign-in/visit.ts";
import { continueInBrowser } from "./continue-in-browser.ts";
import { pendingSeconds, type StoredSignIn } from "./pending-sign-in.ts";
import type { Person } from "./person.ts";
import { ProviderProblem } from "./provider-problem.ts";
import { findProvider, type ProviderKind, type ProviderRow } from "./queries.ts";
import { resolveAccount, type Resolved } from "./resolve-account.ts";

/** A cookie holds about 4,000 characters. */
const maxNextLength = 1000;
/** The desktop app's name in its User-Agent header. */
const desktopApp = "ZulipElectron";

export const notSetUp = () => new ApiError("This sign-in method is not set up on this server.", { status: 404 });

/** The provider that the path names. Throws unless people can sign in with it. */
export async function accessSignInProvider(ctx: Context, visit: Visit, kind: ProviderKind): Promise<ProviderRow> {
  const { realm, request } = visit;
  const row = await findProvider(ctx.db, realm.id, kind, request.params["provider"] ?? "");
  if (!row?.is_enabled) throw notSetUp();
  refuseOtherMethods(realm, row.id);
  return row;
}

/** What every pending sign-in has, or a page to show instead. */
export function beginSignIn({
  request,
  realm,
  csrfToken,
}: Visit): { page: PlainPage } | { common: Pick<StoredSignIn, "realm_id" | "until" | "next" | "app"> } {
  const app = readApp(request);
  // Many providers refuse embedded browsers.
  if (!app && clientName(request.header("user-agent")) === desktopApp) return { page: continueInBrowser(csrfToken) };
  const next = nextPage(request.form.get("next"));
  return {
    common: {
      realm_id: realm.id,
      until: Date.now() + pendingSeconds * 1000,
      next: next.length > maxNextLength ? "/" : next,
      ...(app ? { app } : {}),
    },
  };
}

/** Signs the person in to their account, if they have one or get one. */
export async function signInPerson(
  ctx: Context,
  visit: Visit,
  { row, person, method }: { row: ProviderRow; person: Person; method: string },
  { next, app }: Pick<StoredSignIn, "next" | "app">,
): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  const resolved = await resolvePerson(ctx, realm, { row, person, from: { ip: request.address, id: request.id } });
  const result = "refusal" in resolved ? "refused" : "success";
  ctx.metrics.signIns.inc({ method, result });
  return "refusal" in resolved ? resolved.refusal : completeSignIn(ctx, visit, resolved.account, { next, app });
}

/** The person's account, which they may get now. */
export function resolvePerson(
  ctx: Context,
  realm: Realm,
  { row: provider, person, from }: { row: ProviderRow; person: Person; from: { ip: string; id: string } },
): Promise<Resolved> {
  const act = (tx: Tx) => resolveAccount(tx, ctx, { realm, provider, person, request: from });
  const name = "resolve external identity";
  // Whoever leaves a group at the provider loses what it permits here.
  return takesOverGroups(provider) ? revoke(ctx, name, act) : transaction(ctx.db, name, act);
}

/** Logs a failure of the provider and returns undefined. */
export async function unlessProviderFails<T>(
  { logger }: Context,
  message: string,
  request: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof ProviderProblem)) throw error;
    logger.warn({ err: error }, message);
    return undefined;
  }
}
