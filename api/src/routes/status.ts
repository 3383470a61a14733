/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../status.ts";
import type { Route } from "../route.ts";

export const getUserStatus: Route<typeof declared.getUserStatus> = {
  method: "GET",
  path: "/users/{user_id}/status",
  texts: [],
};
export const updateStatus: Route<typeof declared.updateStatus> = {
  method: "POST",
  path: "/users/me/status",
  texts: ["status_text", "emoji_name", "emoji_code", "reaction_type"],
};
export const updateUserStatus: Route<typeof declared.updateUserStatus> = {
  method: "POST",
  path: "/users/{user_id}/status",
  texts: ["status_text", "emoji_name", "emoji_code", "reaction_type"],
};
