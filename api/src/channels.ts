import { z } from "zod";
import { deprecated, endpoint, json, jsonOrText, list, textUpTo } from "./endpoint.ts";
import { groupSettingUpdate, groupSettingValue } from "./group-setting.ts";

export const maxChannelNameLength = 60;
export const maxChannelDescriptionLength = 1024;

/** What a channel can say of messages without a topic, and of those with one. */
export const topicsPolicies = ["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"] as const;
export type TopicsPolicy = (typeof topicsPolicies)[number];

const topicsPolicy = z
  .enum(topicsPolicies)
  .describe(
    "Whether messages may, may not or must be in the empty topic: allow_empty_topic, disable_empty_topic, " +
      "empty_topic_only, or inherit for the organization's policy.",
  );

/** The properties of a channel that are the same for everybody; personal ones are in a subscription. */
export const channelFields = {
  stream_id: z.int(),
  name: z.string(),
  description: z.string().describe("In Markdown."),
  rendered_description: z.string().describe("As HTML."),
  date_created: z.int(),
  creator_id: z.int().nullable().describe("Null when unknown."),
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
  message_retention_days: z.int().nullable().describe("Null: the organization's default; -1: forever."),
  history_public_to_subscribers: z.boolean().describe("Whether new subscribers can read what was written before."),
  first_message_id: z.int().nullable().describe("Null while it has no messages."),
  stream_weekly_traffic: z
    .int()
    .nullable()
    .describe("Approximate number of messages per week; null while the channel is too new."),
  subscriber_count: z
    .int()
    .describe("How many active accounts are subscribed, bots included; peer_add and peer_remove change it."),
  topics_policy: topicsPolicy,
  folder_id: z.int().nullable().describe("The folder it is in; null: none."),
  can_add_subscribers_group: groupSettingValue,
  can_administer_channel_group: groupSettingValue,
  can_create_topic_group: groupSettingValue,
  can_delete_any_message_group: groupSettingValue,
  can_delete_own_message_group: groupSettingValue,
  can_move_messages_out_of_channel_group: groupSettingValue,
  can_move_messages_within_channel_group: groupSettingValue,
  can_remove_subscribers_group: groupSettingValue,
  can_resolve_topics_group: groupSettingValue,
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

const channelId = json(z.int()).describe("The channel's ID.");

const choice = (fallback: boolean, description: string) => json(z.boolean()).default(fallback).describe(description);

export const getChannels = endpoint({
  operation: "get-streams",
  method: "GET",
  path: "/streams",
  auth: "user",
  scope: "channels:read",
  area: "Channels",
  summary: "Get all channels",
  description: "The channels the caller may know of, chosen by the parameters; each adds to what the others choose.",
  params: {
    include_public: choice(true, "Public channels."),
    include_web_public: choice(false, "Web-public channels."),
    include_subscribed: choice(true, "Channels the caller is subscribed to."),
    exclude_archived: choice(true, "Leave out archived channels."),
    include_all: choice(false, "Every channel whose name and settings the caller may see."),
    include_default: choice(false, "Add is_default to each channel: whether it is a default channel."),
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
  scope: "channels:read",
  area: "Channels",
  summary: "Get a channel",
  description: "One channel, by ID.",
  params: { stream_id: channelId },
  returns: { stream: plainChannel },
});

export const getChannelId = endpoint({
  operation: "get-stream-id",
  method: "GET",
  path: "/get_stream_id",
  auth: "user",
  scope: "channels:read",
  area: "Channels",
  summary: "Get a channel's ID",
  description: "The ID of the channel with this name, compared case-insensitively.",
  params: { stream: z.string().describe("The channel's name.") },
  returns: { stream_id: z.int().describe("The channel's ID.") },
});

export const getSubscribers = endpoint({
  operation: "get-subscribers",
  method: "GET",
  path: "/streams/{stream_id}/members",
  auth: "user",
  scope: "channels:read",
  area: "Channels",
  summary: "Get a channel's subscribers",
  description: "Everybody subscribed to a channel whose account is active.",
  params: { stream_id: channelId },
  returns: { subscribers: z.array(z.int()).describe("User IDs, ascending.") },
});

export const getChannelEmailAddress = endpoint({
  operation: "get-stream-email-address",
  method: "GET",
  path: "/streams/{stream_id}/email_address",
  auth: "user",
  scope: "messages:write",
  area: "Channels",
  summary: "Get a channel's e-mail address",
  description: "The address whose mail becomes messages in the channel.",
  params: {
    stream_id: channelId,
    sender_id: json(z.int())
      .optional()
      .describe("Who these messages are from: the caller, or one of the caller's bots; else a bot of the server."),
  },
  returns: { email: z.string().describe("The address; empty where the server takes no mail.") },
});

/** How long messages are kept: a number of days, or one of two keywords. */
export const messageRetention = z.union([z.int(), z.enum(["realm_default", "unlimited"])]);
export type MessageRetention = z.output<typeof messageRetention>;

/** What each permission of a channel is about, as part of a sentence. */
const permissionTexts = {
  can_add_subscribers_group: "who may add others to it.",
  can_administer_channel_group: "who may change its settings.",
  can_create_topic_group: "who may start topics in it.",
  can_delete_any_message_group: "who may delete anybody's messages in it, besides those the organization permits.",
  can_delete_own_message_group: "who may delete their own messages in it, besides those the organization permits.",
  can_move_messages_out_of_channel_group: "who may move its messages to other channels.",
  can_move_messages_within_channel_group: "who may move its messages to other topics.",
  can_remove_subscribers_group: "who may remove others from it.",
  can_resolve_topics_group: "who may mark its topics as resolved, besides those the organization permits.",
  can_send_message_group: "who may write in it.",
  can_subscribe_group: "who may subscribe themselves even though it is private.",
};
type PermissionName = keyof typeof permissionTexts;

const newPermission = (name: PermissionName) => {
  const text = permissionTexts[name];
  return json(groupSettingUpdate)
    .optional()
    .describe(text.charAt(0).toUpperCase() + text.slice(1));
};

const chosenPermission = (name: PermissionName) =>
  json(groupSettingValue).optional().describe(`For a new channel: ${permissionTexts[name]}`);

/** The settings of a channel that is to be created. */
export const newChannelParams = {
  invite_only: json(z.boolean()).default(false).describe("For a new channel: whether it is private."),
  is_web_public: json(z.boolean())
    .default(false)
    .describe("For a new channel: whether people without an account may read it."),
  is_default_stream: json(z.boolean())
    .default(false)
    .describe("For a new channel: whether users who join later are subscribed to it."),
  history_public_to_subscribers: json(z.boolean())
    .optional()
    .describe("For a new channel: whether later subscribers can read what was written before."),
  message_retention_days: jsonOrText(messageRetention)
    .optional()
    .describe("For a new channel: how many days messages are kept, or unlimited, or realm_default."),
  topics_policy: jsonOrText(z.enum(topicsPolicies))
    .default("inherit")
    .describe("For a new channel: whether messages may, may not or must be in the empty topic."),
  folder_id: json(z.int().nullable()).optional().describe("For a new channel: the folder it is in."),
  can_add_subscribers_group: chosenPermission("can_add_subscribers_group"),
  can_administer_channel_group: chosenPermission("can_administer_channel_group"),
  can_create_topic_group: chosenPermission("can_create_topic_group"),
  can_delete_any_message_group: chosenPermission("can_delete_any_message_group"),
  can_delete_own_message_group: chosenPermission("can_delete_own_message_group"),
  can_move_messages_out_of_channel_group: chosenPermission("can_move_messages_out_of_channel_group"),
  can_move_messages_within_channel_group: chosenPermission("can_move_messages_within_channel_group"),
  can_remove_subscribers_group: chosenPermission("can_remove_subscribers_group"),
  can_resolve_topics_group: chosenPermission("can_resolve_topics_group"),
  can_send_message_group: chosenPermission("can_send_message_group"),
  can_subscribe_group: chosenPermission("can_subscribe_group"),
};

/** Large enough to add a whole organization to a channel at once. */
export const maxPrincipals = 50_000;

export const createChannel = endpoint({
  operation: "create-channel",
  method: "POST",
  path: "/channels/create",
  auth: "user",
  scope: "channels:manage",
  area: "Channels",
  summary: "Create a channel",
  description:
    "Create a channel and subscribe people to it, who are not notified. An error if the name is taken. Not for guests.",
  params: {
    name: z.string().describe("The channel's name."),
    subscribers: json(list(z.int(), maxPrincipals), maxPrincipals + 1).describe(
      "The IDs of the first subscribers; may be empty.",
    ),
    description: textUpTo(maxChannelDescriptionLength).default("").describe("Its description, in Markdown."),
    announce: json(z.boolean()).default(false).describe("Whether the notification bot announces it."),
    ...newChannelParams,
  },
  returns: { id: z.int().describe("The new channel's ID.") },
});

export const updateChannel = endpoint({
  operation: "update-stream",
  method: "PATCH",
  path: "/streams/{stream_id}",
  auth: "user",
  scope: "channels:manage",
  area: "Channels",
  summary: "Change a channel",
  description:
    "Change what a channel is called, who sees it and who may do what in it. For those who administer the channel: " +
    "organization administrators, and whoever its can_administer_channel_group names. Changing who can read or join " +
    "it also takes access to its content.",
  params: {
    stream_id: channelId,
    new_name: z.string().optional().describe("The new name."),
    description: textUpTo(maxChannelDescriptionLength).optional().describe("The new description, in Markdown."),
    is_private: json(z.boolean()).optional().describe("Whether the channel is private."),
    is_web_public: json(z.boolean()).optional().describe("Whether people without an account may read it."),
    history_public_to_subscribers: json(z.boolean())
      .optional()
      .describe("Whether later subscribers can read what was written before; only private channels can say no."),
    is_default_stream: json(z.boolean())
      .optional()
      .describe("Whether users who join later are subscribed to it; for administrators."),
    message_retention_days: jsonOrText(messageRetention)
      .optional()
      .describe("How many days messages are kept, or unlimited, or realm_default; for owners."),
    is_archived: json(z.boolean()).optional().describe("Whether the channel is archived."),
    folder_id: json(z.int().nullable()).optional().describe("The folder it is in; null takes it out."),
    topics_policy: jsonOrText(z.enum(topicsPolicies))
      .optional()
      .describe(
        "Whether messages may, may not or must be in the empty topic. Besides administering the channel, anything but " +
          "inherit takes the organization's can_set_topics_policy_group, or an administrator.",
      ),
    can_add_subscribers_group: newPermission("can_add_subscribers_group"),
    can_administer_channel_group: newPermission("can_administer_channel_group"),
    can_create_topic_group: newPermission("can_create_topic_group"),
    can_delete_any_message_group: newPermission("can_delete_any_message_group"),
    can_delete_own_message_group: newPermission("can_delete_own_message_group"),
    can_move_messages_out_of_channel_group: newPermission("can_move_messages_out_of_channel_group"),
    can_move_messages_within_channel_group: newPermission("can_move_messages_within_channel_group"),
    can_remove_subscribers_group: newPermission("can_remove_subscribers_group"),
    can_resolve_topics_group: newPermission("can_resolve_topics_group"),
    can_send_message_group: newPermission("can_send_message_group"),
    can_subscribe_group: newPermission("can_subscribe_group"),
  },
  returns: {},
});

export const archiveChannel = endpoint({
  operation: "archive-stream",
  method: "DELETE",
  path: "/streams/{stream_id}",
  auth: "user",
  scope: "channels:manage",
  area: "Channels",
  summary: "Archive a channel",
  description: "Archive a channel: nobody can send messages to it any more. Its messages and subscribers are kept.",
  params: { stream_id: channelId },
  returns: {},
});

/** The field of the registration response under `stream`. */
export const channelState = { streams: z.array(plainChannel).describe("Channels the caller may know of, by ID.") };

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

export const channelEvents = [channelCreateEvent, channelDeleteEvent, channelUpdateEvent] as const;

export const endpoints = [
  createChannel,
  getChannels,
  getChannel,
  getChannelId,
  getSubscribers,
  getChannelEmailAddress,
  updateChannel,
  archiveChannel,
];
