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

/** OpenID Connect and SAML have a cookie each. */
type Protocol = "openid" | "saml";

const cookieSchema = z.strictObject({
  realm_id: z.int(),
  /** The organization's own provider; without it the operator's. */
  provider_id: z.int().optional(),
  /** In milliseconds. */
  until: z.number(),
  /** What the provider repeats. */
  state: z.string(),
  /** Empty for SAML, which has no such thing. */
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  next: z.string(),
  app: z.strictObject({ kind: z.enum(["mobile", "desktop"]), pad: z.string() }).optional(),
});
export type StoredSignIn = z.output<typeof cookieSchema>;

const purposes: Record<Protocol, string> = { openid: "openid connect", saml: "saml" };
export const pendingSeconds = 600;

const cookieName = (protocol: Protocol, { isSecure }: Browser): string => (isSecure ? `__Host-${protocol}` : protocol);

export const pendingSignInCookie = (
  protocol: Protocol,
  { secretBox }: Context,
  browser: Browser,
  pending: StoredSignIn,
): string =>
  writeCookie({
    name: cookieName(protocol, browser),
    value: secretBox.seal(JSON.stringify(pending), purposes[protocol]),
    seconds: pendingSeconds,
    isSecure: browser.isSecure,
  });

export const clearPendingSignIn = (protocol: Protocol, browser: Browser): string =>
  writeCookie({ name: cookieName(protocol, browser), value: "", seconds: 0, isSecure: browser.isSecure });

/** The pending sign-in that this browser began last in this organization, if any. */
export function peekPendingSignIn(
  protocol: Protocol,
  { secretBox }: Context,
  browser: Browser,
  realm: Realm,
): StoredSignIn | undefined {
  const sealed = readCookie(browser.cookies, cookieName(protocol, browser));
  const text = sealed === undefined ? undefined : secretBox.open(sealed, purposes[protocol]);
  if (text === undefined) return undefined;
  const { data: pending } = cookieSchema.safeParse(JSON.parse(text)); // may come from another release
  return pending?.realm_id === realm.id && pending.until > Date.now() ? pending : undefined;
}

/** The same, if `state` belongs to it. */
export function readPendingSignIn(
  protocol: Protocol,
  ctx: Context,
  browser: Browser,
  realm: Realm,
  state: string,
): StoredSignIn | undefined {
  const pending = peekPendingSignIn(protocol, ctx, browser, realm);
  const [ours, theirs] = [Buffer.from(pending?.state ?? ""), Buffer.from(state)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs) ? pending : undefined;
}
