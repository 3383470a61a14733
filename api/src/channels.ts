import { z } from "zod";
import { deprecated, endpoint, json } from "./endpoint.ts";
import { groupSettingValue } from "./group-setting.ts";

export const maxChannelNameLength = 60;
export const maxChannelDescriptionLength = 1024;

/** What a channel is to everybody; what a subscriber makes of it stands in a subscription. */
export const channelFields = {
  stream_id: z.int(),
  name: z.string(),
  description: z.string().describe("In Markdown."),
  rendered_description: z.string().describe("As HTML."),
  date_created: z.int(),
  creator_id: z.int().nullable().describe("Null when nobody is on record."),
  invite_only: z.boolean().describe("Whether the channel is private."),
  is_web_public: z.boolean().describe("Whether people without an account may read it."),
  is_archived: z.boolean(),
  is_recently_active: z.boolean().describe("Whether somebody wrote in it lately."),
  is_announcement_only: z.boolean().describe("Deprecated: whether only administrators may write."),
  stream_post_policy: z
    .int()
    .describe(
      "Deprecated, a guess from can_send_message_group: 1 anybody, 2 administrators, 3 full members, 4 moderators.",
    ),
  message_retention_days: z.int().nullable().describe("Null: as the organization says; -1: for ever."),
  history_public_to_subscribers: z.boolean().describe("Whether new subscribers can read what was written before."),
  first_message_id: z.int().nullable().describe("Null while nothing was written."),
  stream_weekly_traffic: z.int().nullable().describe("Messages a week, roughly; null while it is too early to tell."),
  can_add_subscribers_group: groupSettingValue,
  can_administer_channel_group: groupSettingValue,
  can_remove_subscribers_group: groupSettingValue,
  can_send_message_group: groupSettingValue,
  can_subscribe_group: groupSettingValue,
};

export const channelObject = z
  .strictObject({
    ...channelFields,
    is_default: z.boolean().optional().describe("Whether new users are subscribed to it; only when asked for."),
  })
  .meta({ id: "Channel" });
export type ChannelObject = z.output<typeof channelObject>;

const plainChannel = z.strictObject(channelFields).meta({ id: "PlainChannel" });
export type PlainChannel = z.output<typeof plainChannel>;

const choice = (fallback: boolean, description: string) => json(z.boolean()).default(fallback).describe(description);

export const getChannels = endpoint({
  operation: "get-streams",
  method: "GET",
  path: "/streams",
  auth: "user",
  area: "Channels",
  summary: "Get all channels",
  description: "The channels the caller may know of, chosen by the parameters; each adds to what the others choose.",
  params: {
    include_public: choice(true, "Public channels."),
    include_web_public: choice(false, "Web-public channels."),
    include_subscribed: choice(true, "Channels the caller is subscribed to."),
    exclude_archived: choice(true, "Leave out archived channels."),
    include_all: choice(false, "Every channel whose name and settings the caller may see."),
    include_default: choice(false, "Say of each channel whether it is a default one, as is_default."),
    include_owner_subscribed: choice(false, "For a bot: channels its owner is subscribed to."),
    include_can_access_content: choice(false, "Channels whose messages the caller may read."),
    include_all_active: deprecated(choice(false, "Older name of include_all, for administrators only.")),
  },
  returns: { streams: z.array(channelObject) },
});

export const getChannel = endpoint({
  operation: "get-stream-by-id",
  method: "GET",
  path: "/streams/{stream_id}",
  auth: "user",
  area: "Channels",
  summary: "Get a channel",
  description: "One channel, by ID.",
  params: { stream_id: json(z.int()).describe("The channel's ID.") },
  returns: { stream: plainChannel },
});

/** The fields of the registration answer under `stream` and `default_streams`. */
export const channelState = { streams: z.array(plainChannel).describe("Channels the caller may know of, by ID.") };
export const defaultChannelState = {
  realm_default_streams: z.array(z.int()).describe("Channels new users are subscribed to; empty for guests."),
};

export const channelCreateEvent = z.strictObject({
  type: z.literal("stream"),
  op: z.literal("create"),
  streams: z.array(plainChannel),
});

export const channelDeleteEvent = z.strictObject({
  type: z.literal("stream"),
  op: z.literal("delete"),
  stream_ids: z.array(z.int()),
  streams: z.array(z.strictObject({ stream_id: z.int() })).describe("Deprecated: the same IDs."),
});

export const channelUpdateEvent = z.strictObject({
  type: z.literal("stream"),
  op: z.literal("update"),
  stream_id: z.int(),
  name: z.string().describe("The channel's name; the old one when the name is what changed."),
  property: z.string(),
  value: z.union([groupSettingValue, z.boolean(), z.string(), z.null()]),
  rendered_description: z.string().optional().describe("With the property description."),
  history_public_to_subscribers: z.boolean().optional().describe("With the property invite_only."),
  is_web_public: z.boolean().optional().describe("With the property invite_only."),
});

export const defaultChannelsEvent = z.strictObject({
  type: z.literal("default_streams"),
  default_streams: z.array(z.int()).describe("All of them, by ID."),
});

export const channelEvents = [channelCreateEvent, channelDeleteEvent, channelUpdateEvent] as const;
