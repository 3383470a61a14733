/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../deletion.ts";
import type { Route } from "../route.ts";

export const deleteMessage: Route<typeof declared.deleteMessage> = {
  method: "DELETE",
  path: "/messages/{message_id}",
  texts: [],
};
export const deleteTopic: Route<typeof declared.deleteTopic> = {
  method: "POST",
  path: "/streams/{stream_id}/delete_topic",
  texts: ["topic_name"],
};
