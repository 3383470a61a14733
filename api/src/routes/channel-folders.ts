/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../channel-folders.ts";
import type { Route } from "../route.ts";

export const createChannelFolder: Route<typeof declared.createChannelFolder> = {
  method: "POST",
  path: "/channel_folders/create",
  texts: ["name", "description"],
};
export const getChannelFolders: Route<typeof declared.getChannelFolders> = {
  method: "GET",
  path: "/channel_folders",
  texts: [],
};
export const reorderChannelFolders: Route<typeof declared.reorderChannelFolders> = {
  method: "PATCH",
  path: "/channel_folders",
  texts: [],
};
export const updateChannelFolder: Route<typeof declared.updateChannelFolder> = {
  method: "PATCH",
  path: "/channel_folders/{channel_folder_id}",
  texts: ["name", "description"],
};
