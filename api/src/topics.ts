import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";

export const getTopics = endpoint({
  operation: "get-stream-topics",
  method: "GET",
  path: "/users/me/{stream_id}/topics",
  auth: "user",
  scope: "channels:read",
  area: "Channels",
  summary: "Get topics in a channel",
  description:
    "The topics of a channel that the caller has access to, most recently active first. If history is protected, " +
    "only messages the caller received count.",
  params: {
    stream_id: json(z.int()).describe("The channel's ID."),
    allow_empty_topic_name: json(z.boolean())
      .default(false)
      .describe("Whether the empty topic is returned as such, not as realm_empty_topic_display_name."),
  },
  returns: {
    topics: z.array(
      z.strictObject({ name: z.string(), max_id: z.int().describe("The newest message the caller can read in it.") }),
    ),
  },
});

export const endpoints = [getTopics];
