/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../edits.ts";
import type { Route } from "../route.ts";

export const getMessageHistory: Route<typeof declared.getMessageHistory> = {
  method: "GET",
  path: "/messages/{message_id}/history",
  texts: [],
};
export const updateMessage: Route<typeof declared.updateMessage> = {
  method: "PATCH",
  path: "/messages/{message_id}",
  texts: ["content", "prev_content_sha256", "topic", "propagate_mode"],
};
