/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../bot-storage.ts";
import type { Route } from "../route.ts";

export const getBotStorage: Route<typeof declared.getBotStorage> = { method: "GET", path: "/bot_storage", texts: [] };
export const removeBotStorage: Route<typeof declared.removeBotStorage> = {
  method: "DELETE",
  path: "/bot_storage",
  texts: [],
};
export const updateBotStorage: Route<typeof declared.updateBotStorage> = {
  method: "PUT",
  path: "/bot_storage",
  texts: [],
};
