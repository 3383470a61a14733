/**
 * Browsers that are signed in. Ending one takes something away, so it happens inside revoke(): afterwards the cookie
 * opens nothing on any node.
 */
import { sql } from "kysely";
import type { Config } from "../../config.ts";
import { newSessionToken } from "../../http/browser-session.ts";
import { hashKey, type CookieCredentials, type Credentials, type User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";

type Account = Pick<User, "id" | "realm_id">;

export interface BrowserSession {
  /** For the cookie. It cannot be had again: only its hash is kept. */
  token: string;
  seconds: number;
}

export async function startBrowserSession(tx: Tx, { sessionDays }: Config, account: Account): Promise<BrowserSession> {
  const token = newSessionToken();
  const seconds = sessionDays * 86_400;
  await tx
    .insertInto("browser_sessions")
    .values({
      realm_id: account.realm_id,
      user_id: account.id,
      token_hash: hashKey(token),
      expires_at: sql<Date>`now() + make_interval(secs => ${seconds})`,
    })
    .execute();
  return { token, seconds };
}

/** Signs this browser out, if it is signed in. */
export async function endBrowserSession(tx: Tx, { tokenHash }: CookieCredentials): Promise<void> {
  await tx.deleteFrom("browser_sessions").where("token_hash", "=", tokenHash).execute();
}

/** Signs the account out everywhere, save in the browser that asks for it, if it is one that does. */
export async function endBrowserSessions(tx: Tx, account: Account, asking?: Credentials): Promise<void> {
  const kept = asking && "tokenHash" in asking ? asking.tokenHash : undefined;
  await tx
    .deleteFrom("browser_sessions")
    .where("realm_id", "=", account.realm_id)
    .where("user_id", "=", account.id)
    .$if(kept !== undefined, (others) => others.where("token_hash", "<>", kept ?? Buffer.alloc(0)))
    .execute();
}
