/**
 * A pending sign-in, kept in a cookie while the user is at the provider. It ties the callback to this browser and this
 * attempt. The cookie is encrypted and authenticated, and it is removed after use.
 */
import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Context } from "../../../context.ts";
import type { Browser } from "../../../http/browser-session.ts";
import { readCookie, writeCookie } from "../../../http/cookies.ts";
import type { Realm } from "../../../identity/account.ts";

const cookieSchema = z.strictObject({
  realm_id: z.int(),
  /** The organization's own provider; without it the operator's. */
  provider_id: z.int().optional(),
  /** In milliseconds. */
  until: z.number(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  next: z.string(),
  app: z.strictObject({ kind: z.enum(["mobile", "desktop"]), pad: z.string() }).optional(),
});
export type StoredSignIn = z.output<typeof cookieSchema>;

const purpose = "openid connect";
export const pendingSeconds = 600;

const cookieName = ({ isSecure }: Browser): string => (isSecure ? "__Host-openid" : "openid");

export const pendingSignInCookie = ({ secretBox }: Context, browser: Browser, pending: StoredSignIn): string =>
  writeCookie({
    name: cookieName(browser),
    value: secretBox.seal(JSON.stringify(pending), purpose),
    seconds: pendingSeconds,
    isSecure: browser.isSecure,
  });

export const clearPendingSignIn = (browser: Browser): string =>
  writeCookie({ name: cookieName(browser), value: "", seconds: 0, isSecure: browser.isSecure });

/** The pending sign-in that this browser began in this organization and that `state` belongs to, if any. */
export function readPendingSignIn(
  { secretBox }: Context,
  browser: Browser,
  realm: Realm,
  state: string,
): StoredSignIn | undefined {
  const sealed = readCookie(browser.cookies, cookieName(browser));
  const text = sealed === undefined ? undefined : secretBox.open(sealed, purpose);
  if (text === undefined) return undefined;
  const { data: pending } = cookieSchema.safeParse(JSON.parse(text)); // may come from another release
  if (!pending) return undefined;
  const [ours, theirs] = [Buffer.from(pending.state), Buffer.from(state)];
  const isSame = ours.length === theirs.length && timingSafeEqual(ours, theirs);
  return isSame && pending.realm_id === realm.id && pending.until > Date.now() ? pending : undefined;
}
