/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../default-channels.ts";
import type { Route } from "../route.ts";

export const addDefaultChannel: Route<typeof declared.addDefaultChannel> = {
  method: "POST",
  path: "/default_streams",
  texts: [],
};
export const createDefaultChannelGroup: Route<typeof declared.createDefaultChannelGroup> = {
  method: "POST",
  path: "/default_stream_groups/create",
  texts: ["group_name", "description"],
};
export const removeDefaultChannel: Route<typeof declared.removeDefaultChannel> = {
  method: "DELETE",
  path: "/default_streams",
  texts: [],
};
export const removeDefaultChannelGroup: Route<typeof declared.removeDefaultChannelGroup> = {
  method: "DELETE",
  path: "/default_stream_groups/{group_id}",
  texts: [],
};
export const updateDefaultChannelGroup: Route<typeof declared.updateDefaultChannelGroup> = {
  method: "PATCH",
  path: "/default_stream_groups/{group_id}",
  texts: ["new_group_name", "new_description"],
};
export const updateDefaultChannelGroupChannels: Route<typeof declared.updateDefaultChannelGroupChannels> = {
  method: "PATCH",
  path: "/default_stream_groups/{group_id}/streams",
  texts: ["op"],
};
