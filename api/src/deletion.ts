import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";

export const deleteMessage = endpoint({
  operation: "delete-message",
  method: "DELETE",
  path: "/messages/{message_id}",
  auth: "user",
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
  area: "Channels",
  summary: "Delete a topic",
  description:
    "Remove all messages of a topic, the newest first. Where that takes long, a part of them is removed, and the call " +
    "is to be repeated.",
  params: {
    stream_id: json(z.int()).describe("The channel's ID."),
    topic_name: z.string().describe("The topic's name; the empty topic also goes by its display name."),
  },
  returns: { complete: z.boolean().describe("Whether all of them are gone.") },
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
  .describe("Messages are gone, or are now where the reader cannot see them.");
