/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../muted-users.ts";
import type { Route } from "../route.ts";

export const muteUser: Route<typeof declared.muteUser> = {
  method: "POST",
  path: "/users/me/muted_users/{muted_user_id}",
  texts: [],
};
export const unmuteUser: Route<typeof declared.unmuteUser> = {
  method: "DELETE",
  path: "/users/me/muted_users/{muted_user_id}",
  texts: [],
};
