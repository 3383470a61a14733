/** Channel folders: administrators sort the organization's channels into them, and clients show those of one together. */
import { z } from "zod";
import { endpoint, json, list, textUpTo } from "./endpoint.ts";

export const maxChannelFolderNameLength = 60;
export const maxChannelFolderDescriptionLength = 1024;

const area = "Channels";

export const channelFolder = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    description: z.string().describe("In Markdown."),
    rendered_description: z.string().describe("As HTML."),
    date_created: z.int(),
    creator_id: z.int().nullable().describe("Null when unknown."),
    is_archived: z.boolean(),
    order: z.int().describe("Folders are shown in ascending order."),
  })
  .meta({ id: "ChannelFolder" });
export type ChannelFolder = z.output<typeof channelFolder>;

const folderName = textUpTo(maxChannelFolderNameLength);
const folderDescription = textUpTo(maxChannelFolderDescriptionLength);
const folderId = json(z.int()).describe("The folder's ID.");

export const createChannelFolder = endpoint({
  operation: "create-channel-folder",
  method: "POST",
  path: "/channel_folders/create",
  auth: "user",
  scope: "admin",
  area,
  summary: "Create a channel folder",
  description: "Create a folder, in which channels can be put. For administrators.",
  params: {
    name: folderName.describe("Its name, which no other folder in use has in any case."),
    description: folderDescription.default("").describe("What it is for, in Markdown."),
  },
  returns: { channel_folder_id: z.int().describe("The new folder's ID.") },
});

export const getChannelFolders = endpoint({
  operation: "get-channel-folders",
  method: "GET",
  path: "/channel_folders",
  auth: "user",
  scope: "channels:read",
  area,
  summary: "Get channel folders",
  description: "The organization's folders, in their order.",
  params: { include_archived: json(z.boolean()).default(false).describe("Whether to list archived ones, too.") },
  returns: { channel_folders: z.array(channelFolder) },
});

export const reorderChannelFolders = endpoint({
  operation: "patch-channel-folders",
  method: "PATCH",
  path: "/channel_folders",
  auth: "user",
  scope: "admin",
  area,
  summary: "Reorder channel folders",
  description: "Put the folders into another order. For administrators.",
  params: { order: json(list(z.int())).describe("The IDs of all folders, archived ones included, in the new order.") },
  returns: {},
});

export const updateChannelFolder = endpoint({
  operation: "update-channel-folder",
  method: "PATCH",
  path: "/channel_folders/{channel_folder_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Change a channel folder",
  description:
    "Rename, describe, archive or bring back a folder. One that holds channels cannot be archived. For administrators.",
  params: {
    channel_folder_id: folderId,
    name: folderName.optional().describe("Its new name."),
    description: folderDescription.optional().describe("What it is for, in Markdown."),
    is_archived: json(z.boolean()).optional().describe("Whether it is out of use."),
  },
  returns: {},
});

/** The field of the registration response under `channel_folders`. */
export const channelFolderState = {
  channel_folders: z.array(channelFolder).describe("All folders, archived ones included, in their order."),
};

const type = z.literal("channel_folder");

export const channelFolderEvents = [
  z.strictObject({ type, op: z.literal("add"), channel_folder: channelFolder }),
  z.strictObject({
    type,
    op: z.literal("update"),
    channel_folder_id: z.int(),
    data: z
      .strictObject({
        name: z.string().optional(),
        description: z.string().optional(),
        rendered_description: z.string().optional(),
        is_archived: z.boolean().optional(),
      })
      .describe("Only what has changed."),
  }),
  z.strictObject({ type, op: z.literal("reorder"), order: z.array(z.int()).describe("The IDs of all folders.") }),
] as const;

export const endpoints = [createChannelFolder, getChannelFolders, reorderChannelFolders, updateChannelFolder];
