/** Browsers in which an account is signed in. */
import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";
import { passkeyProof } from "./passkeys.ts";

const area = "Authentication";

const sessionObject = z.strictObject({
  id: z.int().describe("The session's ID, which is not a secret."),
  created_at: z.int().describe("When the browser signed in, in Unix seconds."),
  last_used_at: z.int().describe("When it was last used, exact to the hour, in Unix seconds."),
  expires_at: z.int().describe("When it has to sign in again, in Unix seconds."),
  ip: z.string().nullable().describe("The IP address it signed in from; null if that was not recorded."),
  user_agent: z.string().nullable().describe("How the browser describes itself; null if that was not recorded."),
  is_current: z.boolean().describe("Whether this request came from it."),
});

const sessions = z.array(sessionObject).describe("The sessions, the most recently used first.");
const session_id = json(z.int()).describe("The session's ID.");
const user_id = json(z.int()).describe("The account's ID.");

export const getSessions = endpoint({
  operation: "get-sessions",
  method: "GET",
  path: "/users/me/sessions",
  auth: "user",
  scope: "account",
  area,
  summary: "List sessions",
  description: "List the browsers in which the calling account is signed in.",
  params: {},
  returns: { sessions },
});

export const deleteSession = endpoint({
  operation: "delete-session",
  method: "DELETE",
  path: "/users/me/sessions/{session_id}",
  auth: "user",
  scope: "account",
  area,
  summary: "Sign a browser out",
  description: "End one of the calling account's sessions. No request of that browser succeeds after the response.",
  params: { session_id },
  returns: {},
});

export const confirmSession = endpoint({
  operation: "confirm-session",
  method: "POST",
  path: "/users/me/sessions/confirm",
  auth: "user",
  scope: "account",
  area,
  summary: "Confirm a session",
  description:
    "Confirm that the account's holder is at this browser, after the error `STEP_UP_REQUIRED`. An account that has a second " +
    "factor gives a code or a passkey, any other its password. Signing in counts, too. Not for API keys, which are not asked to confirm.",
  params: {
    password: z.string().optional().describe("The password, if the account has no second factor."),
    code: z.string().optional().describe("A code of the authenticator app, or a recovery code. Each is accepted once."),
    passkey: passkeyProof,
  },
  returns: { confirmed_until: z.int().describe("Until when it is not asked for again, in Unix seconds.") },
});

export const deleteOtherSessions = endpoint({
  operation: "delete-other-sessions",
  method: "DELETE",
  path: "/users/me/sessions",
  auth: "user",
  scope: "account",
  area,
  summary: "Sign all other browsers out",
  description: "End all sessions of the calling account, except the one that sends this request.",
  params: {},
  returns: {},
});

export const getUserSessions = endpoint({
  operation: "get-user-sessions",
  method: "GET",
  path: "/users/{user_id}/sessions",
  auth: "user",
  scope: "admin",
  area,
  summary: "List a user's sessions",
  description: "List the browsers in which an account is signed in. For administrators.",
  params: { user_id },
  returns: { sessions },
});

export const deleteUserSession = endpoint({
  operation: "delete-user-session",
  method: "DELETE",
  path: "/users/{user_id}/sessions/{session_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Sign a user's browser out",
  description: "End a session of an account. For administrators; the sessions of owners can be ended by owners only.",
  params: { user_id, session_id },
  returns: {},
});

export const endpoints = [
  getSessions,
  deleteSession,
  confirmSession,
  deleteOtherSessions,
  getUserSessions,
  deleteUserSession,
];
