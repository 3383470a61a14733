/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../bots.ts";
import type { Route } from "../route.ts";

export const createBot: Route<typeof declared.createBot> = {
  method: "POST",
  path: "/bots",
  texts: ["full_name", "short_name", "service_name", "default_sending_stream", "default_events_register_stream"],
};
export const deactivateBot: Route<typeof declared.deactivateBot> = {
  method: "DELETE",
  path: "/bots/{bot_id}",
  texts: [],
};
export const getBotApiKey: Route<typeof declared.getBotApiKey> = {
  method: "GET",
  path: "/bots/{bot_id}/api_key",
  texts: [],
};
export const getBots: Route<typeof declared.getBots> = { method: "GET", path: "/bots", texts: [] };
export const regenerateBotApiKey: Route<typeof declared.regenerateBotApiKey> = {
  method: "POST",
  path: "/bots/{bot_id}/api_key/regenerate",
  texts: [],
};
export const updateBot: Route<typeof declared.updateBot> = {
  method: "PATCH",
  path: "/bots/{bot_id}",
  texts: ["full_name", "short_name", "default_sending_stream", "default_events_register_stream"],
};
