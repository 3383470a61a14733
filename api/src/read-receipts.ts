import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { getMessage } from "./messages.ts";

export const getReadReceipts = endpoint({
  operation: "get-read-receipts",
  method: "GET",
  path: "/messages/{message_id}/read_receipts",
  auth: "user",
  scope: "messages:read",
  area: "Messages",
  summary: "Get a message's read receipts",
  description: "Who has read a message, as far as they let others know.",
  params: { message_id: getMessage.params.message_id },
  returns: { user_ids: z.array(z.int()).describe("Ascending. Never the sender.") },
});

export const endpoints = [getReadReceipts];
