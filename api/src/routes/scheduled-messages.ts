/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../scheduled-messages.ts";
import type { Route } from "../route.ts";

export const createScheduledMessage: Route<typeof declared.createScheduledMessage> = {
  method: "POST",
  path: "/scheduled_messages",
  texts: ["type", "content", "topic"],
};
export const deleteScheduledMessage: Route<typeof declared.deleteScheduledMessage> = {
  method: "DELETE",
  path: "/scheduled_messages/{scheduled_message_id}",
  texts: [],
};
export const getScheduledMessages: Route<typeof declared.getScheduledMessages> = {
  method: "GET",
  path: "/scheduled_messages",
  texts: [],
};
export const updateScheduledMessage: Route<typeof declared.updateScheduledMessage> = {
  method: "PATCH",
  path: "/scheduled_messages/{scheduled_message_id}",
  texts: ["type", "content", "topic"],
};
