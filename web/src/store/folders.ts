/** Channel folders, in which the sidebar and the Inbox show channels together. */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { ChannelFolder } from "@skein/api/channel-folders.ts";
import { part } from "./state.ts";

export type Folders = ReadonlyMap<number, ChannelFolder>;

/** None if the reader wants none. */
const unless = (
  setting: "web_left_sidebar_show_channel_folders" | "web_inbox_show_channel_folders",
): ReadonlySignal<Folders> =>
  computed(() => {
    const folders = part("user_settings").value?.[setting] === false ? [] : part("channel_folders").value;
    return new Map(folders?.map((folder) => [folder.id, folder]));
  });

export const sidebarFolders = unless("web_left_sidebar_show_channel_folders");
export const inboxFolders = unless("web_inbox_show_channel_folders");

/** A channel, or what is known of it. */
type InFolder = { readonly folder_id: number | null } | undefined;

/** The folder that a channel is shown in. */
export const folderOf = (folders: Folders, channel: InFolder): ChannelFolder | undefined =>
  folders.get(channel?.folder_id ?? -1);

/** In the order of the folders; channels without one come last. */
export const byFolder = (folders: Folders, a: InFolder, b: InFolder): number => rank(folders, a) - rank(folders, b);

const rank = (folders: Folders, channel: InFolder): number =>
  folderOf(folders, channel)?.order ?? Number.MAX_SAFE_INTEGER;
