/**
 * Sessions of signed-in browsers. A session ends inside revoke(), so that no node accepts its cookie afterwards.
 */
import { sql } from "kysely";
import type { Config } from "../../../config.ts";
import { newSessionToken } from "../../../http/browser-session.ts";
import { hashBytes, hashKey, type CookieCredentials, type Credentials } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

type Account = Pick<User, "id" | "realm_id">;

export interface BrowserSession {
  id: number;
  /** For the cookie. It cannot be retrieved later: only its hash is stored. */
  token: string;
  seconds: number;
}

/** Where a session begins: shown to the account's holder. */
export interface BrowserOrigin {
  ip: string;
  userAgent: string;
}

const maxUserAgent = 500;

export async function startBrowserSession(
  tx: Tx,
  { sessionDays }: Config,
  account: Account,
  { ip, userAgent }: BrowserOrigin,
): Promise<BrowserSession> {
  const token = newSessionToken();
  const seconds = sessionDays * 86_400;
  const { id } = await tx
    .insertInto("browser_sessions")
    .values({
      realm_id: account.realm_id,
      user_id: account.id,
      token_hash: hashKey(token),
      ip,
      user_agent: userAgent.slice(0, maxUserAgent).toWellFormed(),
      expires_at: sql<Date>`now() + make_interval(secs => ${seconds})`,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { id, token, seconds };
}

/** Signs this browser out, if it is signed in. */
export async function endBrowserSession(tx: Tx, { tokenHash }: CookieCredentials): Promise<void> {
  await tx.deleteFrom("browser_sessions").where("token_hash", "=", hashBytes(tokenHash)).execute();
}

/** Signs the account out everywhere, except in the browser with these credentials. Returns the ids of the sessions. */
export async function endBrowserSessions(tx: Tx, account: Account, except?: Credentials): Promise<number[]> {
  const kept = except && "tokenHash" in except ? hashBytes(except.tokenHash) : undefined;
  const ended = await tx
    .deleteFrom("browser_sessions")
    .where("realm_id", "=", account.realm_id)
    .where("user_id", "=", account.id)
    .$if(kept !== undefined, (others) => others.where("token_hash", "<>", kept ?? Buffer.alloc(0)))
    .returning("id")
    .execute();
  return ended.map(({ id }) => id);
}

/** The browsers in which the account is signed in, the most recently used first. */
export const listBrowserSessions = (db: Db, account: Account) =>
  db
    .selectFrom("browser_sessions")
    .select(["id", "created_at", "last_used_at", "expires_at", "ip", "user_agent"])
    .where("realm_id", "=", account.realm_id)
    .where("user_id", "=", account.id)
    .where("expires_at", ">", sql<Date>`now()`)
    .orderBy("last_used_at", "desc")
    .execute();

/** Signs one browser of the account out; returns whether there was such a session. */
export async function endBrowserSessionById(tx: Tx, account: Account, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("browser_sessions")
    .where("realm_id", "=", account.realm_id)
    .where("user_id", "=", account.id)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
