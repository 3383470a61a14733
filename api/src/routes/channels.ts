/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../channels.ts";
import type { Route } from "../route.ts";

export const archiveChannel: Route<typeof declared.archiveChannel> = {
  method: "DELETE",
  path: "/streams/{stream_id}",
  texts: [],
};
export const createChannel: Route<typeof declared.createChannel> = {
  method: "POST",
  path: "/channels/create",
  texts: ["name", "description"],
};
export const getChannel: Route<typeof declared.getChannel> = { method: "GET", path: "/streams/{stream_id}", texts: [] };
export const getChannelEmailAddress: Route<typeof declared.getChannelEmailAddress> = {
  method: "GET",
  path: "/streams/{stream_id}/email_address",
  texts: [],
};
export const getChannelId: Route<typeof declared.getChannelId> = {
  method: "GET",
  path: "/get_stream_id",
  texts: ["stream"],
};
export const getChannels: Route<typeof declared.getChannels> = { method: "GET", path: "/streams", texts: [] };
export const getSubscribers: Route<typeof declared.getSubscribers> = {
  method: "GET",
  path: "/streams/{stream_id}/members",
  texts: [],
};
export const updateChannel: Route<typeof declared.updateChannel> = {
  method: "PATCH",
  path: "/streams/{stream_id}",
  texts: ["new_name", "description"],
};
