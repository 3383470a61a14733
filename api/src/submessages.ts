/** Submessages: small pieces that users add to a message. Clients combine them into polls and to-do lists. */
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

const label = z.string().max(1000);
const entries = <T extends z.ZodType>(entry: T) => z.array(entry).max(100);

const choice = z.object({
  type: z.string().max(60).default("multiple_choice"),
  short_name: label.describe("What the button says."),
  long_name: label.describe("What the choice means."),
  reply: z.string().max(10_000).describe("What choosing it sends, as a message of the person who chose."),
});

/** A widget shown with a message's text. Most polls and to-do lists are created from the text; forms never are. */
export const widgetContent = z.discriminatedUnion("widget_type", [
  z.object({
    widget_type: z.literal("zform"),
    extra_data: z.object({ type: z.literal("choices"), heading: label, choices: entries(choice) }),
  }),
  z.object({
    widget_type: z.literal("poll"),
    extra_data: z.object({ question: label.default(""), options: entries(label).default([]) }),
  }),
  z.object({
    widget_type: z.literal("todo"),
    extra_data: z.object({
      task_list_title: label.default(""),
      tasks: entries(z.object({ task: label, desc: label.default("") })).default([]),
    }),
  }),
]);
export type WidgetContent = z.output<typeof widgetContent>;

export const addSubmessage = endpoint({
  operation: "add-submessage",
  method: "POST",
  path: "/submessage",
  auth: "user",
  scope: "messages:write",
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

export const endpoints = [addSubmessage];
