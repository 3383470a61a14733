/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../emoji.ts";
import type { Route } from "../route.ts";

export const deactivateCustomEmoji: Route<typeof declared.deactivateCustomEmoji> = {
  method: "DELETE",
  path: "/realm/emoji/{emoji_name}",
  texts: ["emoji_name"],
};
export const getCustomEmoji: Route<typeof declared.getCustomEmoji> = { method: "GET", path: "/realm/emoji", texts: [] };
export const uploadCustomEmoji: Route<typeof declared.uploadCustomEmoji> = {
  method: "POST",
  path: "/realm/emoji/{emoji_name}",
  texts: ["emoji_name"],
};
