/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../fetch-messages.ts";
import type { Route } from "../route.ts";

export const getMessages: Route<typeof declared.getMessages> = {
  method: "GET",
  path: "/messages",
  texts: ["anchor", "anchor_date"],
};
export const matchNarrow: Route<typeof declared.matchNarrow> = {
  method: "GET",
  path: "/messages/matches_narrow",
  texts: [],
};
