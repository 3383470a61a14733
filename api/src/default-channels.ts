/** Default channels: new users are subscribed to them. Some are for everybody, others are groups to choose from. */
import { z } from "zod";
import { endpoint, json, list, textUpTo } from "./endpoint.ts";

export const maxDefaultChannelGroupNameLength = 60;
export const maxDefaultChannelGroupDescriptionLength = 1024;

const area = "Channels";
const channelId = json(z.int()).describe("The channel's ID.");

export const addDefaultChannel = endpoint({
  operation: "add-default-stream",
  method: "POST",
  path: "/default_streams",
  auth: "user",
  scope: "admin",
  area,
  summary: "Add a default channel",
  description: "From now on, users who join are subscribed to this channel. For administrators.",
  params: { stream_id: channelId },
  returns: {},
});

export const removeDefaultChannel = endpoint({
  operation: "remove-default-stream",
  method: "DELETE",
  path: "/default_streams",
  auth: "user",
  scope: "admin",
  area,
  summary: "Remove a default channel",
  description: "Users who join later are no longer subscribed to this channel. For administrators.",
  params: { stream_id: channelId },
  returns: {},
});

const defaultChannelGroup = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    streams: z.array(z.int()).describe("IDs of its channels, ascending."),
  })
  .meta({ id: "DefaultChannelGroup" });
export type DefaultChannelGroup = z.output<typeof defaultChannelGroup>;

const groupId = json(z.int()).describe("The group's ID.");
const groupName = textUpTo(maxDefaultChannelGroupNameLength);
const groupDescription = textUpTo(maxDefaultChannelGroupDescriptionLength);
const channelNames = json(list(z.string())).describe("Channels, by name.");

export const createDefaultChannelGroup = endpoint({
  operation: "create-default-stream-group",
  method: "POST",
  path: "/default_stream_groups/create",
  auth: "user",
  scope: "admin",
  area,
  summary: "Create a default channel group",
  description: "Create a group of channels that new users can choose together. For administrators.",
  params: {
    group_name: groupName.describe("The group's name."),
    description: groupDescription.describe("What it is for."),
    stream_names: channelNames,
  },
  returns: {},
});

export const updateDefaultChannelGroup = endpoint({
  operation: "update-default-stream-group",
  method: "PATCH",
  path: "/default_stream_groups/{group_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Change a default channel group",
  description: "Change a group's name, its description, or both. For administrators.",
  params: {
    group_id: groupId,
    new_group_name: groupName.optional().describe("The group's new name."),
    new_description: groupDescription.optional().describe("What it is for."),
  },
  returns: {},
});

export const updateDefaultChannelGroupChannels = endpoint({
  operation: "update-default-stream-group-streams",
  method: "PATCH",
  path: "/default_stream_groups/{group_id}/streams",
  auth: "user",
  scope: "admin",
  area,
  summary: "Change a default channel group's channels",
  description: "Add channels to a group or remove them from it. For administrators.",
  params: {
    group_id: groupId,
    op: z.string().describe("add or remove."),
    stream_names: channelNames,
  },
  returns: {},
});

export const removeDefaultChannelGroup = endpoint({
  operation: "remove-default-stream-group",
  method: "DELETE",
  path: "/default_stream_groups/{group_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Remove a default channel group",
  description: "Delete a group. Its channels remain. For administrators.",
  params: { group_id: groupId },
  returns: {},
});

/** The fields of the registration response under `default_streams` and `default_stream_groups`. */
export const defaultChannelState = {
  realm_default_streams: z.array(z.int()).describe("Channels new users are subscribed to; empty for guests."),
};
export const defaultChannelGroupState = {
  realm_default_stream_groups: z
    .array(defaultChannelGroup)
    .describe("Groups of channels new users can choose; empty for guests."),
};

export const defaultChannelsEvent = z.strictObject({
  type: z.literal("default_streams"),
  default_streams: z.array(z.int()).describe("All of them, by ID."),
});

export const defaultChannelGroupsEvent = z.strictObject({
  type: z.literal("default_stream_groups"),
  default_stream_groups: z.array(defaultChannelGroup).describe("All of them, by ID."),
});

export const defaultChannelEvents = [defaultChannelsEvent, defaultChannelGroupsEvent] as const;

export const endpoints = [
  addDefaultChannel,
  removeDefaultChannel,
  createDefaultChannelGroup,
  updateDefaultChannelGroup,
  updateDefaultChannelGroupChannels,
  removeDefaultChannelGroup,
];
