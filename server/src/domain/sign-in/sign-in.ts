import type { Context } from "../../context.ts";
import { revoke } from "../../events/revoke.ts";
import { browserCredentials, signedInCookies } from "../../http/browser-session.ts";
import type { PageRequest } from "../../http/router.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { endBrowserSession, startBrowserSession } from "../auth/browser-sessions.ts";
import { clearTries, type ProvenAccount } from "../auth/password-login.ts";

/** The cookies of a session of its own: whatever the browser had before, nobody else can know this one. */
export async function signIn(ctx: Context, { browser }: PageRequest, account: ProvenAccount): Promise<string[]> {
  const before = browserCredentials(browser);
  const start = async (tx: Tx) => {
    await clearTries(tx, account);
    if (before) await endBrowserSession(tx, before);
    return startBrowserSession(tx, ctx.config, account);
  };
  const { token, seconds } = await (before ? revoke(ctx, "sign in", start) : transaction(ctx.db, "sign in", start));
  return signedInCookies(browser, token, seconds);
}
