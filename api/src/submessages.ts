/** What polls and to-do lists are made of: small pieces that people add to a message, which clients put together. */
import { z } from "zod";
import { endpoint, json, textUpTo } from "./endpoint.ts";

export const maxSubmessageLength = 10_000;

const msgType = textUpTo(60);

export const submessage = z.strictObject({
  id: z.int(),
  message_id: z.int(),
  sender_id: z.int(),
  msg_type: z.string(),
  content: z.string().describe("JSON text, understood by clients."),
});
export type Submessage = z.output<typeof submessage>;

export const addSubmessage = endpoint({
  operation: "add-submessage",
  method: "POST",
  path: "/submessage",
  auth: "user",
  area: "Messages",
  summary: "Add a submessage",
  description: "Vote in a poll, tick off a task, or change what such a message offers.",
  params: {
    message_id: json(z.int()).describe("The poll or to-do list."),
    msg_type: msgType.describe("What kind of piece it is: widget."),
    content: textUpTo(maxSubmessageLength).describe("The piece, as JSON text."),
  },
  returns: {},
});

export const submessageEvent = z
  .strictObject({
    type: z.literal("submessage"),
    submessage_id: z.int(),
    message_id: z.int(),
    sender_id: z.int(),
    msg_type: z.string(),
    content: z.string(),
  })
  .describe("Somebody added a piece to a message.");
