/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../reactions.ts";
import type { Route } from "../route.ts";

export const addReaction: Route<typeof declared.addReaction> = {
  method: "POST",
  path: "/messages/{message_id}/reactions",
  texts: ["emoji_name", "emoji_code", "reaction_type"],
};
export const removeReaction: Route<typeof declared.removeReaction> = {
  method: "DELETE",
  path: "/messages/{message_id}/reactions",
  texts: ["emoji_name", "emoji_code", "reaction_type"],
};
