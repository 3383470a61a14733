/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../presence.ts";
import type { Route } from "../route.ts";

export const getPresence: Route<typeof declared.getPresence> = { method: "GET", path: "/realm/presence", texts: [] };
export const getUserPresence: Route<typeof declared.getUserPresence> = {
  method: "GET",
  path: "/users/{user_id_or_email}/presence",
  texts: ["user_id_or_email"],
};
export const updatePresence: Route<typeof declared.updatePresence> = {
  method: "POST",
  path: "/users/me/presence",
  texts: ["status"],
};
