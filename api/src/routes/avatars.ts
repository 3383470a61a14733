/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../avatars.ts";
import type { Route } from "../route.ts";

export const removeOwnAvatar: Route<typeof declared.removeOwnAvatar> = {
  method: "DELETE",
  path: "/users/me/avatar",
  texts: [],
};
export const uploadOwnAvatar: Route<typeof declared.uploadOwnAvatar> = {
  method: "POST",
  path: "/users/me/avatar",
  texts: [],
};
