import type { Context } from "../../../context.ts";
import { revoke } from "../../../events/revoke.ts";
import { browserCredentials, signedInCookies } from "../../../http/browser-session.ts";
import type { PageRequest } from "../../../http/page.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { endBrowserSession, startBrowserSession } from "../../people/auth/browser-sessions.ts";
import { knownDevice, rememberDevice } from "../../people/auth/known-device.ts";
import { noteSignIn } from "../../people/auth/note-sign-in.ts";
import { rememberProviderSession } from "../../people/auth/provider-sessions.ts";
import { clearAttempts, type AuthenticatedAccount } from "../../people/auth/password-login.ts";
import { mailNewSignIn } from "../../people/auth/sign-in-mail.ts";
import { refuseWithoutFactor } from "../../people/second-factors/requirement.ts";

/** Starts a new session and returns its cookies. The browser's previous session ends, so nobody can have planted this one. */
export async function signIn(ctx: Context, request: PageRequest, account: AuthenticatedAccount): Promise<string[]> {
  const { browser, address: ip } = request;
  const userAgent = request.header("user-agent") ?? "";
  const isKnown = knownDevice(ctx, browser, account.id) !== undefined;
  const before = browserCredentials(browser);
  const start = async (tx: Tx) => {
    await refuseWithoutFactor(tx, account, request);
    await clearAttempts(tx, account);
    if (before) await endBrowserSession(tx, before);
    if (!isKnown) await mailNewSignIn(tx, ctx, account, { client: userAgent, ip });
    const session = await startBrowserSession(tx, ctx.config, account, { ip, userAgent });
    await rememberProviderSession(tx, account, { session_id: session.id });
    const credential = { kind: "session", id: session.id } as const;
    await noteSignIn(tx, account, { ip, id: request.id }, { method: account.method ?? "registration", credential });
    return session;
  };
  const { token, seconds } = await (before ? revoke(ctx, "sign in", start) : transaction(ctx.db, "sign in", start));
  return [...signedInCookies(browser, token, seconds), ...rememberDevice(ctx, browser, account.id)];
}
