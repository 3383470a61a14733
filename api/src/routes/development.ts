/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../development.ts";
import type { Route } from "../route.ts";

export const devFetchApiKey: Route<typeof declared.devFetchApiKey> = {
  method: "POST",
  path: "/dev_fetch_api_key",
  texts: ["username"],
};
export const devListUsers: Route<typeof declared.devListUsers> = { method: "GET", path: "/dev_list_users", texts: [] };
