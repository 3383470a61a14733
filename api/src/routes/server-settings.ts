/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../server-settings.ts";
import type { Route } from "../route.ts";

export const getServerSettings: Route<typeof declared.getServerSettings> = {
  method: "GET",
  path: "/server_settings",
  texts: [],
};
