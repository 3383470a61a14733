/**
 * Session cookies and CSRF tokens of browsers. A browser sends its cookie with every request, even one made by another
 * site's page, so every change must also carry a CSRF token that other sites cannot know. When signed in, the token is
 * derived from the session: as hard to guess, valid for that session only, and not stored. When signed out, it is a random
 * value in a cookie, which the form repeats.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ApiError } from "../errors.ts";
import { readCookie, writeCookie } from "./cookies.ts";
import { hashSecret, type CookieCredentials } from "../identity/sessions.ts";

/** The parts of a request that concern the browser's session. */
export interface Browser {
  /** The Cookie header. */
  cookies: string | undefined;
  /** The request came over TLS. */
  isSecure: boolean;
}

export const csrfHeader = "x-csrftoken";
export const csrfField = "csrfmiddlewaretoken";
const csrfCookie = "csrftoken";
const tokenPattern = /^[\w-]{43}$/;

/** 256 random bits, in characters that a cookie allows. */
export const newSessionToken = (): string => randomBytes(32).toString("base64url");

/** With this prefix browsers accept the cookie only from the host itself, over TLS. */
const sessionCookie = ({ isSecure }: Browser): string => (isSecure ? "__Host-sessionid" : "sessionid");

function sessionToken(browser: Browser): string | undefined {
  const token = readCookie(browser.cookies, sessionCookie(browser));
  return token !== undefined && tokenPattern.test(token) ? token : undefined;
}

/** The credentials in the cookie; `Sessions` checks whether they are still valid. */
export function browserCredentials(browser: Browser): CookieCredentials | undefined {
  const token = sessionToken(browser);
  return token === undefined ? undefined : { tokenHash: hashSecret(token) };
}

/** The cookies for a browser that has just signed in. */
export function signedInCookies(browser: Browser, token: string, seconds: number): string[] {
  const { isSecure } = browser;
  return [
    writeCookie({ name: sessionCookie(browser), value: token, seconds, isSecure }),
    writeCookie({ name: csrfCookie, value: csrfTokenOf(token), seconds, isSecure, isReadable: true }),
  ];
}

/** Whether any of these cookies signs the browser in or out. */
export const changeSession = (cookies: readonly string[]): boolean =>
  cookies.some((cookie) => /^(?:__Host-)?sessionid=/.test(cookie));

/** Cookies that remove those of signedInCookies(). */
export function signedOutCookies(browser: Browser): string[] {
  const { isSecure } = browser;
  return [sessionCookie(browser), csrfCookie].map((name) => writeCookie({ name, value: "", seconds: 0, isSecure }));
}

const csrfTokenOf = (token: string): string => createHmac("sha256", token).update("csrf").digest("base64url");

/** The CSRF token that requests of this browser must carry; undefined if it has none yet. */
function expectedToken(browser: Browser): string | undefined {
  const session = sessionToken(browser);
  if (session !== undefined) return csrfTokenOf(session);
  const own = readCookie(browser.cookies, csrfCookie);
  return own !== undefined && tokenPattern.test(own) ? own : undefined;
}

export interface FormToken {
  token: string;
  /** To be set by the response that contains the token. */
  cookies: string[];
}

/** The CSRF token for a form or script in this browser. */
export function formToken(browser: Browser): FormToken {
  const token = expectedToken(browser) ?? newSessionToken();
  if (readCookie(browser.cookies, csrfCookie) === token) return { token, cookies: [] };
  const { isSecure } = browser;
  return { token, cookies: [writeCookie({ name: csrfCookie, value: token, isSecure, isReadable: true })] };
}

/** Throws unless the request carries its browser's CSRF token. */
export function assertCsrfToken(browser: Browser, given: string | undefined): void {
  const expected = expectedToken(browser);
  if (expected === undefined) throw csrfFailure("CSRF cookie not set.");
  if (given === undefined || given === "") throw csrfFailure("CSRF token missing.");
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(given)];
  if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) throw csrfFailure("CSRF token incorrect.");
}

const csrfFailure = (reason: string): ApiError =>
  new ApiError(`CSRF error: ${reason}`, { code: "CSRF_FAILED", status: 403, data: { reason } });
