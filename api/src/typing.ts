/** Typing notifications. Nothing is stored: clients repeat the request while the user is typing. */
import { z } from "zod";
import { endpoint, json, list } from "./endpoint.ts";
import { maxRecipients } from "./messages.ts";

const area = "Users";
const op = z.enum(["start", "stop"]);

export const setTypingStatus = endpoint({
  operation: "set-typing-status",
  method: "POST",
  path: "/typing",
  auth: "user",
  scope: "messages:write",
  area,
  summary: 'Set "typing" status',
  description: "Notify the future recipients of a message that the caller is typing it.",
  params: {
    op: op.describe("Whether typing begins, or goes on, or ends."),
    type: z.enum(["direct", "stream", "channel"]).default("direct").describe("Where the message would go."),
    to: json(list(z.int(), maxRecipients)).optional().describe("The people a direct message would go to."),
    stream_id: json(z.int()).optional().describe("The channel it would go to."),
    topic: z.string().optional().describe("The topic it would go to."),
  },
  returns: {},
});

export const setEditTypingStatus = endpoint({
  operation: "set-typing-status-for-message-edit",
  method: "POST",
  path: "/messages/{message_id}/typing",
  auth: "user",
  scope: "messages:write",
  area,
  summary: 'Set "typing" status for message editing',
  description: "Notify the recipients of a message that the caller is editing it.",
  params: {
    message_id: json(z.int()).describe("The message."),
    op: op.describe("Whether typing begins, or goes on, or ends."),
  },
  returns: {},
});

const person = z.strictObject({ user_id: z.int(), email: z.string().describe("The API e-mail address.") });

export const typingEvent = z
  .strictObject({
    type: z.literal("typing"),
    op,
    message_type: z.enum(["direct", "stream"]),
    sender: person,
    recipients: z.array(person).optional().describe("Of a direct message: all its parties."),
    stream_id: z.int().optional().describe("Of a message to a channel."),
    topic: z.string().optional().describe("Of a message to a channel."),
  })
  .describe(
    "Somebody starts or stops typing a message. For channel messages, only sent to clients with the " +
      "stream_typing_notifications capability.",
  );

export const editTypingEvent = z
  .strictObject({
    type: z.literal("typing_edit_message"),
    op,
    sender_id: z.int(),
    message_id: z.int(),
    recipient: z.union([
      z.strictObject({ type: z.literal("channel"), channel_id: z.int(), topic: z.string() }),
      z.strictObject({ type: z.literal("direct"), user_ids: z.array(z.int()) }),
    ]),
  })
  .describe("Somebody starts or stops editing a message.");

export const endpoints = [setTypingStatus, setEditTypingStatus];
