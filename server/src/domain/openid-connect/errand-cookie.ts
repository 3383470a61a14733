/**
 * What a browser carries along while somebody signs in at the provider, so that it is this browser that comes back, from
 * this attempt: sealed, so that nobody reads or makes one, and gone when it was used.
 */
import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Context } from "../../context.ts";
import type { Browser } from "../../http/browser-session.ts";
import { readCookie, writeCookie } from "../../http/cookies.ts";
import type { Realm } from "../../http/sessions.ts";

const errandForm = z.strictObject({
  realm_id: z.int(),
  /** In milliseconds. */
  until: z.number(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  next: z.string(),
  app: z.strictObject({ kind: z.enum(["mobile", "desktop"]), pad: z.string() }).optional(),
});
export type CarriedErrand = z.output<typeof errandForm>;

const purpose = "openid connect";
export const errandSeconds = 600;

const cookieName = ({ isSecure }: Browser): string => (isSecure ? "__Host-openid" : "openid");

export const errandCookie = ({ secretBox }: Context, browser: Browser, errand: CarriedErrand): string =>
  writeCookie({
    name: cookieName(browser),
    value: secretBox.seal(JSON.stringify(errand), purpose),
    seconds: errandSeconds,
    isSecure: browser.isSecure,
  });

export const noErrandCookie = (browser: Browser): string =>
  writeCookie({ name: cookieName(browser), value: "", seconds: 0, isSecure: browser.isSecure });

/** The attempt that this browser began here and that `state` belongs to; undefined where there is none. */
export function readErrand(
  { secretBox }: Context,
  browser: Browser,
  realm: Realm,
  state: string,
): CarriedErrand | undefined {
  const sealed = readCookie(browser.cookies, cookieName(browser));
  const text = sealed === undefined ? undefined : secretBox.open(sealed, purpose);
  if (text === undefined) return undefined;
  const { data: errand } = errandForm.safeParse(JSON.parse(text)); // ours, but perhaps of another release
  if (!errand) return undefined;
  const [ours, theirs] = [Buffer.from(errand.state), Buffer.from(state)];
  const isSame = ours.length === theirs.length && timingSafeEqual(ours, theirs);
  return isSame && errand.realm_id === realm.id && errand.until > Date.now() ? errand : undefined;
}
