/** With what an account is signed in: API keys and browser sessions. The reader's own, or for administrators another person's. */
import type { ApiKeyObject } from "@skein/api/api-keys.ts";
import type { ReturnsOf } from "@skein/api/endpoint.ts";
import type { getSessions as declaredSessions } from "@skein/api/sessions.ts";
import {
  createApiKey,
  deleteApiKey,
  deleteUserApiKey,
  getApiKeys,
  getUserApiKeys,
  updateApiKey,
} from "@skein/api/routes/api-keys.ts";
import {
  deleteOtherSessions,
  deleteSession,
  deleteUserSession,
  getSessions,
  getUserSessions,
} from "@skein/api/routes/sessions.ts";
import { getUserSecondFactors, resetSecondFactors } from "@skein/api/routes/second-factors.ts";
import { call } from "../api/call.ts";
import { part } from "./state.ts";

export type Key = ApiKeyObject;
export type Session = ReturnsOf<typeof declaredSessions>["sessions"][number];

/** Whose keys and sessions are shown, and how they are revoked. */
export interface Holder {
  /** Undefined: the reader. */
  userId?: number;
  keys: () => Promise<readonly Key[]>;
  revokeKey: (key_id: number) => Promise<unknown>;
  sessions: () => Promise<readonly Session[]>;
  endSession: (session_id: number) => Promise<unknown>;
}

export const reader: Holder = {
  keys: async () => (await call(getApiKeys, {})).api_keys,
  revokeKey: (key_id) => call(deleteApiKey, { key_id }),
  sessions: async () => (await call(getSessions, {})).sessions,
  endSession: (session_id) => call(deleteSession, { session_id }),
};

export const otherPerson = (user_id: number): Holder => ({
  userId: user_id,
  keys: async () => (await call(getUserApiKeys, { user_id })).api_keys,
  revokeKey: (key_id) => call(deleteUserApiKey, { user_id, key_id }),
  sessions: async () => (await call(getUserSessions, { user_id })).sessions,
  endSession: (session_id) => call(deleteUserSession, { user_id, session_id }),
});

/** Whether another person needs more than a password to sign in. For administrators. */
export const readFactorsOf = (user_id: number) => call(getUserSecondFactors, { user_id });

export const resetFactorsOf = (user_id: number): Promise<unknown> => call(resetSecondFactors, { user_id });

export const endOtherSessions = (): Promise<unknown> => call(deleteOtherSessions, {});

export const renameKey = (key_id: number, name: string): Promise<unknown> => call(updateApiKey, { key_id, name });

/** The scopes that the reader can give to a key. */
export const fetchScopes = async (): Promise<readonly { name: string; description: string }[]> =>
  (await call(getApiKeys, {})).available_scopes;

export interface NewKey {
  name: string;
  scopes: string[];
  /** In seconds; undefined: it does not end. */
  expiresAt: number | undefined;
}

/** Returns the key, which the server shows this once. */
export const addKey = async ({ name, scopes, expiresAt }: NewKey): Promise<string> =>
  (await call(createApiKey, { name, scopes, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) })).api_key;

/** For how many days a new key can be valid at most; undefined if the organization does not limit it. */
export const maxKeyDays = (): number | undefined => part("realm_api_key_max_days").value || undefined;

export const usualDays = [7, 30, 90, 365] as const;

/** For how many days a key can be valid, as offered. */
export function offeredDays(max: number | undefined): readonly number[] {
  if (max === undefined) return usualDays;
  return [...usualDays.filter((days) => days < max), max];
}

const browsers: readonly [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Chrome|CriOS|Chromium)\//],
  ["Safari", /\bSafari\//],
];

const systems: readonly [name: string, pattern: RegExp][] = [
  ["Windows", /\bWindows\b/],
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** The browser and the system that a User-Agent names, as far as it is known. */
export function describeAgent(agent: string): { browser: string | undefined; system: string | undefined } {
  const find = (known: typeof browsers): string | undefined => known.find(([, pattern]) => pattern.test(agent))?.[0];
  return { browser: find(browsers), system: find(systems) };
}
