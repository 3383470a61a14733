/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../flags.ts";
import type { Route } from "../route.ts";

export const markAllAsRead: Route<typeof declared.markAllAsRead> = {
  method: "POST",
  path: "/mark_all_as_read",
  texts: [],
};
export const markChannelAsRead: Route<typeof declared.markChannelAsRead> = {
  method: "POST",
  path: "/mark_stream_as_read",
  texts: [],
};
export const markTopicAsRead: Route<typeof declared.markTopicAsRead> = {
  method: "POST",
  path: "/mark_topic_as_read",
  texts: ["topic_name"],
};
export const updateMessageFlags: Route<typeof declared.updateMessageFlags> = {
  method: "POST",
  path: "/messages/flags",
  texts: ["op", "flag"],
};
export const updateMessageFlagsForNarrow: Route<typeof declared.updateMessageFlagsForNarrow> = {
  method: "POST",
  path: "/messages/flags/narrow",
  texts: ["anchor", "op", "flag"],
};
