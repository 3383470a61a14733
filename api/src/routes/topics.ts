/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../topics.ts";
import type { Route } from "../route.ts";

export const getTopics: Route<typeof declared.getTopics> = {
  method: "GET",
  path: "/users/me/{stream_id}/topics",
  texts: [],
};
