/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../playgrounds.ts";
import type { Route } from "../route.ts";

export const addPlayground: Route<typeof declared.addPlayground> = {
  method: "POST",
  path: "/realm/playgrounds",
  texts: ["name", "pygments_language", "url_template"],
};
export const removePlayground: Route<typeof declared.removePlayground> = {
  method: "DELETE",
  path: "/realm/playgrounds/{playground_id}",
  texts: [],
};
