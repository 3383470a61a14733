import type { z } from "zod";
import type { ChannelFolder, channelFolderEvents } from "../channel-folders.ts";
import { change, type FollowedState } from "./followed-state.ts";

type ChannelFolderEvent = z.output<(typeof channelFolderEvents)[number]>;

export const applyChannelFolderEvent = (state: FollowedState, event: ChannelFolderEvent): FollowedState =>
  change(state, "channel_folders", (folders) =>
    after(folders, event).toSorted((a, b) => a.order - b.order || a.id - b.id),
  );

function after(folders: ChannelFolder[], event: ChannelFolderEvent): ChannelFolder[] {
  switch (event.op) {
    case "add":
      return [...folders, event.channel_folder];
    case "update":
      return folders.map((folder) =>
        folder.id === event.channel_folder_id ? { ...folder, ...changed(event) } : folder,
      );
    case "reorder":
      return folders.map((folder) => ({ ...folder, order: event.order.indexOf(folder.id) }));
  }
}

/** Without the fields that are undefined. */
const changed = ({ data }: Extract<ChannelFolderEvent, { op: "update" }>): Partial<ChannelFolder> =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
