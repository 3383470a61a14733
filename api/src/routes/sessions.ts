/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../sessions.ts";
import type { Route } from "../route.ts";

export const confirmSession: Route<typeof declared.confirmSession> = {
  method: "POST",
  path: "/users/me/sessions/confirm",
  texts: ["password", "code"],
};
export const deleteOtherSessions: Route<typeof declared.deleteOtherSessions> = {
  method: "DELETE",
  path: "/users/me/sessions",
  texts: [],
};
export const deleteSession: Route<typeof declared.deleteSession> = {
  method: "DELETE",
  path: "/users/me/sessions/{session_id}",
  texts: [],
};
export const deleteUserSession: Route<typeof declared.deleteUserSession> = {
  method: "DELETE",
  path: "/users/{user_id}/sessions/{session_id}",
  texts: [],
};
export const getSessions: Route<typeof declared.getSessions> = { method: "GET", path: "/users/me/sessions", texts: [] };
export const getUserSessions: Route<typeof declared.getUserSessions> = {
  method: "GET",
  path: "/users/{user_id}/sessions",
  texts: [],
};
