/** Scheduled messages: sent at a time that their sender chose. */
import { z } from "zod";
import { alias, endpoint, json, list } from "./endpoint.ts";
import { maxRecipients } from "./messages.ts";

const scheduledMessageFields = {
  scheduled_message_id: z.int().describe("Not the ID the message will have once it is sent."),
  content: z.string().describe("The text, in Markdown."),
  rendered_content: z.string().describe("The text as HTML, as of now."),
  scheduled_delivery_timestamp: z.int(),
  failed: z.boolean().describe("Whether sending failed. It stays until it is rescheduled or deleted."),
};

export const scheduledMessage = z
  .union([
    z.strictObject({
      ...scheduledMessageFields,
      type: z.literal("stream"),
      to: z.int().describe("The channel."),
      topic: z.string(),
    }),
    z.strictObject({
      ...scheduledMessageFields,
      type: z.literal("private"),
      to: z.array(z.int()).describe("The other people; the sender alone for a note to oneself."),
    }),
  ])
  .meta({ id: "ScheduledMessage" });
export type ScheduledMessage = z.output<typeof scheduledMessage>;

const area = "Scheduled messages";
/** The end of the year 9999. */
const latest = 253_402_300_799;

const type = z
  .enum(["direct", "channel", "stream", "private"])
  .describe("direct, or channel; the older names are private and stream.");
const to = json(z.union([z.int(), list(z.int(), maxRecipients)])).describe(
  "For a channel its ID; for a direct message the people's IDs.",
);
const content = z.string().describe("The text, in Markdown.");
const topic = alias(z.string(), "subject").describe("The topic of a channel message; ignored otherwise.");
const deliveryTime = json(z.int().max(latest)).describe("When to send it. Must be in the future.");
const id = json(z.int()).describe("The scheduled message.");

export const getScheduledMessages = endpoint({
  operation: "get-scheduled-messages",
  method: "GET",
  path: "/scheduled_messages",
  auth: "user",
  scope: "messages:read",
  area,
  summary: "Get scheduled messages",
  description: "The caller's pending scheduled messages, soonest first, including those that failed.",
  params: {},
  returns: { scheduled_messages: z.array(scheduledMessage) },
});

export const createScheduledMessage = endpoint({
  operation: "create-scheduled-message",
  method: "POST",
  path: "/scheduled_messages",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Schedule a message",
  description:
    "Send a message later. The caller must be allowed to send it now; this is checked again at sending time.",
  params: {
    type,
    to,
    content,
    topic: topic.optional(),
    scheduled_delivery_timestamp: deliveryTime,
    read_by_sender: json(z.boolean())
      .optional()
      .describe(
        "Whether the sent message is marked as read for its sender; depends on the client's name when omitted.",
      ),
  },
  returns: { scheduled_message_id: z.int().describe("The new scheduled message.") },
});

export const updateScheduledMessage = endpoint({
  operation: "update-scheduled-message",
  method: "PATCH",
  path: "/scheduled_messages/{scheduled_message_id}",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Edit a scheduled message",
  description: "Change its content, destination or time. A failed message needs a new time.",
  params: {
    scheduled_message_id: id,
    type: type.optional(),
    to: to.optional(),
    content: content.optional(),
    topic: topic.optional(),
    scheduled_delivery_timestamp: deliveryTime.optional(),
  },
  returns: {},
});

export const deleteScheduledMessage = endpoint({
  operation: "delete-scheduled-message",
  method: "DELETE",
  path: "/scheduled_messages/{scheduled_message_id}",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Delete a scheduled message",
  description: "Cancel a scheduled message.",
  params: { scheduled_message_id: id },
  returns: {},
});

export const scheduledMessageEvents = [
  z
    .strictObject({
      type: z.literal("scheduled_messages"),
      op: z.literal("add"),
      scheduled_messages: z.array(scheduledMessage),
    })
    .describe("The reader scheduled messages."),
  z
    .strictObject({
      type: z.literal("scheduled_messages"),
      op: z.literal("update"),
      scheduled_message: scheduledMessage,
    })
    .describe("One of the reader's scheduled messages was edited, or could not be sent."),
  z
    .strictObject({ type: z.literal("scheduled_messages"), op: z.literal("remove"), scheduled_message_id: z.int() })
    .describe("One of the reader's scheduled messages was sent or removed."),
] as const;

export const scheduledMessageState = {
  scheduled_messages: z.array(scheduledMessage).describe("The caller's own, soonest first."),
};

export const endpoints = [getScheduledMessages, createScheduledMessage, updateScheduledMessage, deleteScheduledMessage];
