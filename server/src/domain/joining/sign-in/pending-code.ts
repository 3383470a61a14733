/**
 * A sign-in whose password was right and which waits for the second factor, or for its set-up, kept in a cookie. The cookie is encrypted and
 * authenticated, ties the second step to this browser, and ends with the password it stands for.
 */
import { z } from "zod";
import type { Context } from "../../../context.ts";
import type { Browser } from "../../../http/browser-session.ts";
import { readCookie, writeCookie } from "../../../http/cookies.ts";
import type { Realm } from "../../../identity/account.ts";
import type { AttemptSource } from "../../people/auth/login-limit.ts";
import type { AuthenticatedAccount } from "../../people/auth/password-login.ts";
import type { Destination } from "./complete-sign-in.ts";
import { stampOf } from "./password-reset.ts";

const cookieSchema = z.strictObject({
  realm_id: z.int(),
  user_id: z.int(),
  /** Of the password: see stampOf(). */
  stamp: z.string(),
  /** In milliseconds. */
  until: z.number(),
  source: z.string().optional(),
  /** See AuthenticatedAccount: of a sign-in with the password of a directory. */
  attemptName: z.string().optional(),
  method: z.string().optional(),
  provider: z.strictObject({ provider_id: z.int(), subject: z.string(), sid: z.string().nullable() }).optional(),
  next: z.string(),
  app: z.strictObject({ kind: z.enum(["mobile", "desktop"]), pad: z.string() }).optional(),
});

export interface PendingCode {
  account: AuthenticatedAccount;
  destination: Destination;
}

const purpose = "second factor";
const pendingSeconds = 600;
/** A cookie holds about 4,000 characters. */
const maxNextLength = 1000;

const cookieName = ({ isSecure }: Browser): string => (isSecure ? "__Host-second-factor" : "second-factor");

const findAccount = ({ db }: Context, realmId: number, userId: number) =>
  db
    .selectFrom("users")
    .select(["id", "realm_id", "delivery_email", "password_hash"])
    .where("realm_id", "=", realmId)
    .where("id", "=", userId)
    .where("is_active", "=", true)
    .executeTakeFirst();

/** The cookie of a browser whose user has just given the correct password. */
export async function pendingCodeCookie(
  ctx: Context,
  browser: Browser,
  { id, realm_id, attemptSource: source, attemptName, method, providerSession: provider }: AuthenticatedAccount,
  { next, app }: Destination,
  seconds: number = pendingSeconds,
): Promise<string> {
  const found = await findAccount(ctx, realm_id, id);
  const pending: z.output<typeof cookieSchema> = {
    realm_id,
    user_id: id,
    stamp: stampOf(found?.password_hash ?? null),
    until: Date.now() + seconds * 1000,
    ...(source === undefined ? {} : { source }),
    ...(attemptName === undefined ? {} : { attemptName }),
    ...(method === undefined ? {} : { method }),
    ...(provider === undefined ? {} : { provider }),
    next: next.length > maxNextLength ? "/" : next,
    ...(app ? { app } : {}),
  };
  const value = ctx.secretBox.seal(JSON.stringify(pending), purpose);
  return writeCookie({ name: cookieName(browser), value, seconds, isSecure: browser.isSecure });
}

export const clearPendingCode = (browser: Browser): string =>
  writeCookie({ name: cookieName(browser), value: "", seconds: 0, isSecure: browser.isSecure });

/** The sign-in that waits in this browser; undefined if there is none, or it is no longer valid. */
export async function readPendingCode(ctx: Context, browser: Browser, realm: Realm): Promise<PendingCode | undefined> {
  const sealed = readCookie(browser.cookies, cookieName(browser));
  const text = sealed === undefined ? undefined : ctx.secretBox.open(sealed, purpose);
  if (text === undefined) return undefined;
  const { data: pending } = cookieSchema.safeParse(JSON.parse(text)); // may come from another release
  if (!pending || pending.realm_id !== realm.id || pending.until <= Date.now()) return undefined;
  const found = await findAccount(ctx, realm.id, pending.user_id);
  if (!found || stampOf(found.password_hash) !== pending.stamp) return undefined;
  const { password_hash: _, ...account } = found;
  return {
    account: {
      ...account,
      method: pending.method ?? "password",
      // Written by us, above.
      ...(pending.source === undefined ? {} : { attemptSource: pending.source as AttemptSource }),
      ...(pending.attemptName === undefined ? {} : { attemptName: pending.attemptName }),
      ...(pending.provider === undefined ? {} : { providerSession: pending.provider }),
    },
    destination: { next: pending.next, app: pending.app },
  };
}
