/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../typing.ts";
import type { Route } from "../route.ts";

export const setEditTypingStatus: Route<typeof declared.setEditTypingStatus> = {
  method: "POST",
  path: "/messages/{message_id}/typing",
  texts: ["op"],
};
export const setTypingStatus: Route<typeof declared.setTypingStatus> = {
  method: "POST",
  path: "/typing",
  texts: ["op", "type", "topic"],
};
