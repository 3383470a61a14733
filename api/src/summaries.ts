/** Summaries of what was said. */
import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";

export const getMessagesSummary = endpoint({
  operation: "get-messages-summary",
  method: "GET",
  path: "/messages/summary",
  auth: "user",
  area: "Messages",
  summary: "Get a summary of messages",
  description: "Have a language model say in short what messages are about. Refused where there is none.",
  params: { narrow: json(z.array(z.unknown())).optional().describe("Which messages.") },
  returns: { summary: z.string().describe("As HTML.") },
});
