/**
 * A sealed cookie, which survives signing out, records which accounts have signed in with a browser. Password attempts
 * from such a browser are counted separately, so that guesses made elsewhere do not lock its user out.
 */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Context } from "../../../context.ts";
import type { Browser } from "../../../http/browser-session.ts";
import { readCookie, writeCookie } from "../../../http/cookies.ts";
import type { SignInRequest } from "../../organization/audit/sign-ins.ts";

/** The network and browser of a sign-in. */
export interface SignInOrigin {
  /** See networkOf(). */
  network: string;
  browser?: Browser;
  /** For the audit log. */
  request: SignInRequest;
}

const deviceForm = z.strictObject({ id: z.string(), user_ids: z.array(z.int()) });
const purpose = "known device";
const maxAccounts = 5;
const keptSeconds = 365 * 86_400;

const cookieName = ({ isSecure }: Browser): string => (isSecure ? "__Host-device" : "device");

function readDevice({ secretBox }: Context, browser: Browser): z.output<typeof deviceForm> | undefined {
  const sealed = readCookie(browser.cookies, cookieName(browser));
  const text = sealed === undefined ? undefined : secretBox.open(sealed, purpose);
  // The cookie is ours, but another release may have written it.
  return text === undefined ? undefined : deviceForm.safeParse(JSON.parse(text)).data;
}

/** The id of the browser, if this account has signed in with it. */
export function knownDevice(ctx: Context, browser: Browser, userId: number): string | undefined {
  const device = readDevice(ctx, browser);
  return device?.user_ids.includes(userId) ? device.id : undefined;
}

/** The cookies that make the browser a known device of this account; none when no secret for sealing is configured. */
export function rememberDevice(ctx: Context, browser: Browser, userId: number): string[] {
  if (!ctx.secretBox.canSeal) return [];
  const device = readDevice(ctx, browser) ?? { id: randomBytes(12).toString("base64url"), user_ids: [] };
  const user_ids = [userId, ...device.user_ids.filter((id) => id !== userId)].slice(0, maxAccounts);
  const value = ctx.secretBox.seal(JSON.stringify({ ...device, user_ids }), purpose);
  return [writeCookie({ name: cookieName(browser), value, seconds: keptSeconds, isSecure: browser.isSecure })];
}
