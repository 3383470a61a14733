/** Changes of channel folders that show at once. Each resolves when the server has confirmed it, and rejects when it refuses. */
import { reorderChannelFolders, updateChannelFolder } from "@skein/api/routes/channel-folders.ts";
import { call } from "../api/call.ts";
import { confirmed } from "./setting-stores.ts";

/** All folders, archived ones included. */
export const orderFolders = (order: number[]): Promise<void> =>
  confirmed(
    {
      key: "order of folders",
      event: { type: "channel_folder", op: "reorder", order },
      isConfirmedBy: (event) =>
        event.type === "channel_folder" && event.op === "reorder" && event.order.join() === order.join(),
    },
    () => call(reorderChannelFolders, { order }),
  );

export const archiveFolder = (channel_folder_id: number, is_archived: boolean): Promise<void> =>
  confirmed(
    {
      key: `folder ${channel_folder_id}`,
      event: { type: "channel_folder", op: "update", channel_folder_id, data: { is_archived } },
      isConfirmedBy: (event) =>
        event.type === "channel_folder" &&
        event.op === "update" &&
        event.channel_folder_id === channel_folder_id &&
        event.data.is_archived === is_archived,
    },
    () => call(updateChannelFolder, { channel_folder_id, is_archived }),
  );
