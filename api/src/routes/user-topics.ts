/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../user-topics.ts";
import type { Route } from "../route.ts";

export const muteTopic: Route<typeof declared.muteTopic> = {
  method: "PATCH",
  path: "/users/me/subscriptions/muted_topics",
  texts: ["stream", "topic", "op"],
};
export const updateUserTopic: Route<typeof declared.updateUserTopic> = {
  method: "POST",
  path: "/user_topics",
  texts: ["topic"],
};
