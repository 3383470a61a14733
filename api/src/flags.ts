import { z } from "zod";
import { endpoint, json, list } from "./endpoint.ts";
import { rangeParams } from "./fetch-messages.ts";
import { narrow } from "./narrow.ts";

export const messageFlags = [
  "read",
  "starred",
  "collapsed",
  "mentioned",
  "stream_wildcard_mentioned",
  "topic_wildcard_mentioned",
  "has_alert_word",
  "historical",
  "wildcard_mentioned",
] as const;
export type MessageFlag = (typeof messageFlags)[number];

/** The maximum number of unread messages listed at registration, the newest ones. */
export const maxListedUnread = 50000;

export const updateMessageFlags = endpoint({
  operation: "update-message-flags",
  method: "POST",
  path: "/messages/flags",
  auth: "user",
  scope: "messages:write",
  area: "Messages",
  summary: "Update message flags",
  description: "Set or clear one of the caller's flags on a list of messages.",
  params: {
    messages: json(list(z.int(), maxListedUnread), 2 * maxListedUnread).describe("The messages' IDs."),
    // Any string, so that the error for an unknown flag can name it.
    op: z
      .string()
      .meta({ enum: ["add", "remove"] })
      .describe("Whether to set or to clear it."),
    flag: z
      .string()
      .meta({ enum: messageFlags })
      .describe("The flag. Only read, starred and collapsed can be changed; the others follow from the message."),
  },
  returns: {
    messages: z.array(z.int()).describe("The messages that changed."),
    ignored_because_not_subscribed_channels: z
      .array(z.int())
      .optional()
      .describe(
        "When clearing read: channels whose messages were skipped because the caller is not subscribed to them.",
      ),
  },
});

const { op, flag } = updateMessageFlags.params;

export const updateMessageFlagsForNarrow = endpoint({
  operation: "update-message-flags-for-narrow",
  method: "POST",
  path: "/messages/flags/narrow",
  auth: "user",
  scope: "messages:write",
  area: "Messages",
  summary: "Update message flags in a narrow",
  description: "Set or clear one of the caller's flags on a range of messages, at most 5000 at once.",
  params: { ...rangeParams, narrow: json(narrow.nullable()).describe("Which messages."), op, flag },
  returns: {
    processed_count: z.int().describe("How many messages were in the range."),
    updated_count: z.int().describe("How many of them changed."),
    first_processed_id: z.int().nullable().describe("The oldest of the range."),
    last_processed_id: z.int().nullable().describe("The newest of the range."),
    found_oldest: z.boolean().describe("Whether there are none before the range."),
    found_newest: z.boolean().describe("Whether there are none after the range."),
    ignored_because_not_subscribed_channels: updateMessageFlags.returns.ignored_because_not_subscribed_channels,
  },
});

export const markAllAsRead = endpoint({
  operation: "mark-all-as-read",
  method: "POST",
  path: "/mark_all_as_read",
  auth: "user",
  scope: "messages:write",
  area: "Messages",
  summary: "Mark all messages as read",
  description: "Mark all of the caller's unread messages as read, newest first.",
  params: {},
  returns: {
    complete: z.boolean().describe("False when it would have taken too long: the request must then be repeated."),
  },
  deprecated: true,
});

const channelId = json(z.int()).describe("The channel's ID.");

export const markChannelAsRead = endpoint({
  operation: "mark-stream-as-read",
  method: "POST",
  path: "/mark_stream_as_read",
  auth: "user",
  scope: "messages:write",
  area: "Messages",
  summary: "Mark messages in a channel as read",
  description: "Mark all of the caller's unread messages in a channel as read.",
  params: { stream_id: channelId },
  returns: {},
  deprecated: true,
});

export const markTopicAsRead = endpoint({
  operation: "mark-topic-as-read",
  method: "POST",
  path: "/mark_topic_as_read",
  auth: "user",
  scope: "messages:write",
  area: "Messages",
  summary: "Mark messages in a topic as read",
  description: "Mark all of the caller's unread messages in a topic as read.",
  params: { stream_id: channelId, topic_name: z.string().describe("The topic; nothing changes if there is none.") },
  returns: {},
  deprecated: true,
});

const ids = z.array(z.int()).describe("Message IDs, ascending.");

export const unreadMessages = z
  .strictObject({
    count: z.int().describe("Unread messages that are not muted. A topic's setting overrides that of its channel."),
    pms: z
      .array(z.strictObject({ other_user_id: z.int(), sender_id: z.int(), unread_message_ids: ids }))
      .describe("Conversations of two, by other_user_id; sender_id is its older name."),
    streams: z
      .array(z.strictObject({ stream_id: z.int(), topic: z.string(), unread_message_ids: ids }))
      .describe("Topics, by channel and name."),
    huddles: z
      .array(z.strictObject({ user_ids_string: z.string(), unread_message_ids: ids }))
      .describe("Larger direct conversations, by everybody's IDs joined with commas."),
    mentions: ids.describe("Those that mention the caller, or mention everybody in an unmuted conversation."),
    old_unreads_missing: z.boolean().describe("Whether there are more than fit in this list."),
  })
  .meta({ id: "UnreadMessages" });
export type UnreadMessages = z.output<typeof unreadMessages>;

/** The fields of the registration response under `update_message_flags` and `starred_messages`. */
export const unreadState = { unread_msgs: unreadMessages };
export const starredState = { starred_messages: z.array(z.int()).describe("Message IDs, ascending.") };

/** The conversation of a message that became unread, so that a client that never saw it can count it. */
const messageDetails = z.strictObject({
  type: z.enum(["private", "stream"]),
  mentioned: z.boolean().optional(),
  user_ids: z.array(z.int()).optional().describe("Direct messages: the other people."),
  stream_id: z.int().optional(),
  topic: z.string().optional(),
  unmuted_stream_msg: z.boolean().optional().describe("Channel messages: whether neither channel nor topic is muted."),
});
export type MessageDetails = z.output<typeof messageDetails>;

export const flagsAddEvent = z.strictObject({
  type: z.literal("update_message_flags"),
  op: z.literal("add"),
  operation: z.literal("add").describe("Deprecated name of op."),
  flag: z.enum(messageFlags),
  messages: z.array(z.int()),
  all: z.boolean().describe("Whether all messages are affected; the list is then empty."),
});

export const flagsRemoveEvent = z.strictObject({
  type: z.literal("update_message_flags"),
  op: z.literal("remove"),
  operation: z.literal("remove").describe("Deprecated name of op."),
  flag: z.enum(messageFlags),
  messages: z.array(z.int()),
  all: z.boolean(),
  message_details: z.record(z.string(), messageDetails).optional().describe("With the flag read, by message ID."),
});

export const flagEvents = [flagsAddEvent, flagsRemoveEvent] as const;

export const endpoints = [
  updateMessageFlags,
  updateMessageFlagsForNarrow,
  markAllAsRead,
  markChannelAsRead,
  markTopicAsRead,
];
