/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../messages.ts";
import type { Route } from "../route.ts";

export const getMessage: Route<typeof declared.getMessage> = {
  method: "GET",
  path: "/messages/{message_id}",
  texts: [],
};
export const renderMessage: Route<typeof declared.renderMessage> = {
  method: "POST",
  path: "/messages/render",
  texts: ["content"],
};
export const sendMessage: Route<typeof declared.sendMessage> = {
  method: "POST",
  path: "/messages",
  texts: ["type", "content", "topic", "queue_id", "local_id"],
};
