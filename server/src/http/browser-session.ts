/**
 * How a browser shows who is using it: by a cookie it sends along with every request, wanted or not. So whatever changes
 * something must also carry a token that pages of other sites cannot know. For a browser that is signed in it follows
 * from its session, which makes it as hard to guess, good for that session alone, and nothing that has to be kept; for
 * one that is not, it is a number of its own in a cookie, which the form repeats.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ApiError } from "../errors.ts";
import { readCookie, writeCookie } from "./cookies.ts";
import { hashKey, type CookieCredentials } from "./sessions.ts";

/** What of a request is the browser's doing. */
export interface Browser {
  /** The header. */
  cookies: string | undefined;
  /** It came over TLS. */
  isSecure: boolean;
}

export const csrfHeader = "x-csrftoken";
export const csrfField = "csrfmiddlewaretoken";
const csrfCookie = "csrftoken";
const tokenForm = /^[\w-]{43}$/;

/** 256 bits of chance, as a cookie can carry them. */
export const newSessionToken = (): string => randomBytes(32).toString("base64url");

/** With this prefix browsers take the cookie from nobody but the host itself, over TLS. */
const sessionCookie = ({ isSecure }: Browser): string => (isSecure ? "__Host-sessionid" : "sessionid");

function sessionToken(browser: Browser): string | undefined {
  const token = readCookie(browser.cookies, sessionCookie(browser));
  return token !== undefined && tokenForm.test(token) ? token : undefined;
}

/** What the cookie proves; whether it still holds is for `Sessions` to say. */
export function browserCredentials(browser: Browser): CookieCredentials | undefined {
  const token = sessionToken(browser);
  return token === undefined ? undefined : { tokenHash: hashKey(token) };
}

/** The cookies of a browser that has just signed in. */
export function signedInCookies(browser: Browser, token: string, seconds: number): string[] {
  const { isSecure } = browser;
  return [
    writeCookie({ name: sessionCookie(browser), value: token, seconds, isSecure }),
    writeCookie({ name: csrfCookie, value: csrfTokenOf(token), seconds, isSecure, isReadable: true }),
  ];
}

/** Takes the cookies away. */
export function signedOutCookies(browser: Browser): string[] {
  const { isSecure } = browser;
  return [sessionCookie(browser), csrfCookie].map((name) => writeCookie({ name, value: "", seconds: 0, isSecure }));
}

const csrfTokenOf = (token: string): string => createHmac("sha256", token).update("csrf").digest("base64url");

/** The token that requests of this browser must carry; undefined when it has none yet. */
function expectedToken(browser: Browser): string | undefined {
  const session = sessionToken(browser);
  if (session !== undefined) return csrfTokenOf(session);
  const own = readCookie(browser.cookies, csrfCookie);
  return own !== undefined && tokenForm.test(own) ? own : undefined;
}

export interface FormToken {
  token: string;
  /** To be set with the answer that shows the token. */
  cookies: string[];
}

/** The token for a form, or a script, of this browser. */
export function formToken(browser: Browser): FormToken {
  const token = expectedToken(browser) ?? newSessionToken();
  if (readCookie(browser.cookies, csrfCookie) === token) return { token, cookies: [] };
  const { isSecure } = browser;
  return { token, cookies: [writeCookie({ name: csrfCookie, value: token, isSecure, isReadable: true })] };
}

/** Throws unless the request carries its browser's token. */
export function demandCsrfToken(browser: Browser, given: string | undefined): void {
  const expected = expectedToken(browser);
  if (expected === undefined) throw csrfFailure("CSRF cookie not set.");
  if (given === undefined || given === "") throw csrfFailure("CSRF token missing.");
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(given)];
  if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) throw csrfFailure("CSRF token incorrect.");
}

const csrfFailure = (reason: string): ApiError =>
  new ApiError(`CSRF error: ${reason}`, { code: "CSRF_FAILED", status: 403, data: { reason } });
