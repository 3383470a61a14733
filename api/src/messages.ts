import { z } from "zod";
import { alias, endpoint, json, jsonOrText, list, manyIds, textUpTo } from "./endpoint.ts";
import { reaction } from "./reactions.ts";
import { submessage, widgetContent } from "./submessages.ts";

/** Longer messages are truncated, with a notice at their end. */
export const maxMessageLength = 10000;
/** Longer topics are truncated. */
export const maxTopicLength = 60;
/** The maximum number of recipients of one message. */
export const maxRecipients = 1000;
/** The name of the empty topic for clients that do not support empty topics. */
export const emptyTopicDisplayName = "general chat";

const edit = z.strictObject({
  user_id: z.int().nullable(),
  timestamp: z.int(),
  prev_content: z.string().optional(),
  prev_rendered_content: z.string().optional(),
  prev_stream: z.int().optional(),
  stream: z.int().optional(),
  prev_topic: z.string().optional(),
  topic: z.string().optional(),
});

const messageFields = {
  id: z.int().describe("Messages are shown in the order of their IDs."),
  type: z.enum(["stream", "private"]).describe("stream: written in a channel; private: a direct message."),
  sender_id: z.int(),
  sender_email: z.string(),
  sender_full_name: z.string(),
  sender_realm_str: z.string().describe("The sender's organization."),
  client: z.string().describe("The program it was sent with."),
  content: z.string(),
  content_type: z.enum(["text/html", "text/x-markdown"]),
  display_recipient: z
    .union([
      z.string(),
      z.array(z.strictObject({ id: z.int(), email: z.string(), full_name: z.string(), is_mirror_dummy: z.boolean() })),
    ])
    .describe("The channel's name, or everybody in the direct conversation, the reader too."),
  recipient_id: z.int().describe("The conversation: one number for a channel or a set of people."),
  stream_id: z.int().optional().describe("Only for channel messages."),
  subject: z.string().describe("The topic; empty for direct messages."),
  topic_links: z
    .array(z.strictObject({ text: z.string(), url: z.string() }))
    .describe("What the organization's linkifiers found in the topic."),
  is_me_message: z.boolean().describe("Whether it is a status message, written with /me."),
  timestamp: z.int(),
  last_edit_timestamp: z.int().optional().describe("Absent if the content was never edited."),
  last_moved_timestamp: z.int().optional().describe("Absent if it was never moved."),
  edit_history: z.array(edit).optional().describe("Newest first; absent without edits, or where nobody may see them."),
  reactions: z.array(reaction).describe("In the order they were added."),
  submessages: z.array(submessage).describe("The data of widgets such as polls."),
  avatar_url: z.string().nullable().describe("Null when the client computes the URL itself (client_gravatar)."),
};

/** A message as delivered to others; the reader's flags are sent separately. */
export const deliveredMessage = z.strictObject(messageFields).meta({ id: "DeliveredMessage" });
export type DeliveredMessage = z.output<typeof deliveredMessage>;

export const messageObject = z
  .strictObject({ ...messageFields, flags: z.array(z.string()).describe("The reader's flags.") })
  .meta({ id: "Message" });
export type MessageObject = z.output<typeof messageObject>;

export const sendMessage = endpoint({
  operation: "send-message",
  method: "POST",
  path: "/messages",
  auth: "user",
  scope: "messages:write",
  area: "Messages",
  summary: "Send a message",
  description: "Send a message to a channel, or a direct message.",
  params: {
    type: z
      .enum(["direct", "channel", "stream", "private"])
      .describe("direct, or channel; the older names are private and stream."),
    to: jsonOrText(z.union([z.int(), z.string(), list(z.int(), manyIds), list(z.string(), manyIds)]))
      .optional()
      .describe(
        "For a channel its ID or name; for a direct message the people's IDs or e-mail addresses. Only a bot with a " +
          "channel of its own may leave it out.",
      ),
    content: z.string().describe("The text, in Markdown."),
    topic: alias(z.string(), "subject").optional().describe("The topic of a channel message; ignored otherwise."),
    queue_id: textUpTo(100).optional().describe("The sender's event queue, whose event will carry local_id."),
    local_id: textUpTo(100)
      .optional()
      .describe(
        "Any text by which the client recognizes its own message when the event arrives; required with queue_id.",
      ),
    read_by_sender: json(z.boolean())
      .optional()
      .describe("Whether the sender has read the message; depends on the client's name when omitted."),
    widget_content: json(widgetContent)
      .optional()
      .describe(
        "A widget to show with the message: choices to answer with (zform), a poll or a to-do list. It becomes the " +
          "message's first submessage.",
      ),
  },
  returns: {
    id: z.int().describe("The new message's ID."),
    automatic_new_visibility_policy: z
      .literal([2, 3])
      .optional()
      .describe("Only when sending made the topic unmuted (2) or followed (3) for the sender."),
  },
});

export const renderMessage = endpoint({
  operation: "render-message",
  method: "POST",
  path: "/messages/render",
  auth: "user",
  scope: "messages:write",
  area: "Messages",
  summary: "Render a message",
  description: "Render a text as if the caller sent it now. Nothing is sent, and nobody is notified.",
  params: { content: z.string().describe("The text, in Markdown.") },
  returns: { rendered: z.string().describe("The text as HTML.") },
});

export const getMessage = endpoint({
  operation: "get-message",
  method: "GET",
  path: "/messages/{message_id}",
  auth: "user",
  scope: "messages:read",
  area: "Messages",
  summary: "Get a message",
  description: "One message, by ID.",
  params: {
    // Any number: an impossible ID gets the same error as one that does not exist.
    message_id: json(z.number().meta({ type: "integer" })).describe("The message's ID."),
    apply_markdown: json(z.boolean()).default(true).describe("Whether content is HTML rather than Markdown."),
    allow_empty_topic_name: json(z.boolean())
      .default(false)
      .describe("Whether an empty topic is given as such, not under its display name."),
  },
  returns: {
    message: messageObject,
    raw_content: z.string().describe("The content in Markdown. Deprecated: ask with apply_markdown=false."),
  },
});

/** The fields of the registration response under `message` and `recent_private_conversations`. */
export const messageState = {
  max_message_id: z.int().describe("The newest message the caller has received; -1 without any. Deprecated."),
};
export const recentConversationState = {
  recent_private_conversations: z
    .array(
      z.strictObject({
        user_ids: z.array(z.int()).describe("The other people, ascending; empty for notes to oneself."),
        max_message_id: z.int(),
      }),
    )
    .describe("Direct conversations, the most recent first."),
};

export const messageEvent = z.strictObject({
  type: z.literal("message"),
  message: deliveredMessage,
  flags: z.array(z.string()).describe("The reader's flags."),
  local_message_id: z.string().optional().describe("In the sending queue: the local_id given at sending."),
  local_id: z.string().optional().describe("The same under the name it was given by."),
});

export const endpoints = [sendMessage, renderMessage, getMessage];
