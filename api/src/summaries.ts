/** Summaries of conversations. */
import { z } from "zod";
import { endpoint, json, list } from "./endpoint.ts";

export const getMessagesSummary = endpoint({
  operation: "get-messages-summary",
  method: "GET",
  path: "/messages/summary",
  auth: "user",
  scope: "messages:read",
  area: "Messages",
  summary: "Get a summary of messages",
  description: "Summarize messages with a language model. Fails if none is configured.",
  params: { narrow: json(list(z.unknown(), 100)).optional().describe("Which messages.") },
  returns: { summary: z.string().describe("As HTML.") },
});

export const endpoints = [getMessagesSummary];
