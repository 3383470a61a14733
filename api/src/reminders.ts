/** Reminders: the notification bot quotes a message to somebody at a time that they chose. */
import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";

/** In characters. */
export const maxReminderNoteLength = 1000;

export const reminder = z
  .strictObject({
    reminder_id: z.int(),
    type: z.literal("private"),
    to: z.array(z.int()).describe("The caller."),
    content: z.string().describe("The text, in Markdown, as it would be sent now. It is written anew when it is sent."),
    rendered_content: z.string().describe("The same as HTML."),
    scheduled_delivery_timestamp: z.int(),
    failed: z.boolean().describe("Whether sending failed."),
    reminder_target_message_id: z.int().describe("The message it is about."),
  })
  .meta({ id: "Reminder" });
export type Reminder = z.output<typeof reminder>;

const area = "Reminders";
/** The end of the year 9999. */
const latest = 253_402_300_799;
const reminders = z.array(reminder).describe("The caller's own, soonest first.");

export const getReminders = endpoint({
  operation: "get-reminders",
  method: "GET",
  path: "/reminders",
  auth: "user",
  scope: "messages:read",
  area,
  summary: "Get reminders",
  description: "The caller's reminders that were not sent yet, soonest first.",
  params: {},
  returns: { reminders },
});

export const createReminder = endpoint({
  operation: "create-message-reminder",
  method: "POST",
  path: "/reminders",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Create a message reminder",
  description:
    "Have the notification bot send the caller a direct message at a time, with a link to a message and a quotation of it.",
  params: {
    message_id: json(z.int()).describe("The message's ID."),
    scheduled_delivery_timestamp: json(z.int().max(latest)).describe("When to send it. Must be in the future."),
    note: z.string().optional().describe("What the reminder says besides, in up to 1000 characters."),
  },
  returns: { reminder_id: z.int().describe("The new reminder.") },
});

export const deleteReminder = endpoint({
  operation: "delete-reminder",
  method: "DELETE",
  path: "/reminders/{reminder_id}",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Delete a reminder",
  description: "Cancel one of the caller's reminders.",
  params: { reminder_id: json(z.int()).describe("The reminder.") },
  returns: {},
});

export const reminderState = { reminders };

export const reminderEvents = [
  z
    .strictObject({ type: z.literal("reminders"), op: z.literal("add"), reminders: z.array(reminder) })
    .describe("The reader created a reminder; it is the only one in the list."),
  z
    .strictObject({ type: z.literal("reminders"), op: z.literal("remove"), reminder_id: z.int() })
    .describe("One of the reader's reminders was sent or deleted."),
] as const;

export const endpoints = [getReminders, createReminder, deleteReminder];
