import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";

export const deleteMessage = endpoint({
  operation: "delete-message",
  method: "DELETE",
  path: "/messages/{message_id}",
  auth: "user",
  scope: "messages:write",
  area: "Messages",
  summary: "Delete a message",
  description: "Remove a message for everybody.",
  params: { message_id: json(z.int()).describe("The message's ID.") },
  returns: {},
});

export const deleteTopic = endpoint({
  operation: "delete-topic",
  method: "POST",
  path: "/streams/{stream_id}/delete_topic",
  auth: "user",
  scope: "channels:manage",
  area: "Channels",
  summary: "Delete a topic",
  description:
    "Delete all messages of a topic, newest first. If that takes too long, only some of them are deleted, and the " +
    "request must be repeated.",
  params: {
    stream_id: json(z.int()).describe("The channel's ID."),
    topic_name: z.string().describe("The topic's name; the empty topic also goes by its display name."),
  },
  returns: { complete: z.boolean().describe("Whether all of them have been deleted.") },
});

export const deleteMessageEvent = z
  .strictObject({
    type: z.literal("delete_message"),
    message_type: z.enum(["private", "stream"]),
    message_ids: z.array(z.int()).optional().describe("With the bulk_message_deletion capability."),
    message_id: z.int().optional().describe("Without it."),
    stream_id: z.int().optional().describe("Only for channel messages: the channel they were in."),
    topic: z.string().optional().describe("Only for channel messages: the topic they were in."),
  })
  .describe("Messages were deleted, or moved to where the reader cannot see them.");

export const endpoints = [deleteMessage, deleteTopic];
