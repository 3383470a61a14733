/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../summaries.ts";
import type { Route } from "../route.ts";

export const getMessagesSummary: Route<typeof declared.getMessagesSummary> = {
  method: "GET",
  path: "/messages/summary",
  texts: [],
};
