/** Editing messages and moving them to other topics and channels. */
import { z } from "zod";
import { alias, endpoint, json, textUpTo } from "./endpoint.ts";
import { propagateMode } from "./message-updates.ts";
import { attachment } from "./uploads.ts";

const area = "Messages";

export const updateMessage = endpoint({
  operation: "update-message",
  method: "PATCH",
  path: "/messages/{message_id}",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Edit a message",
  description:
    "Edit a message's text, or move it, alone or with others of its topic, to another topic or channel. A topic " +
    "is resolved by moving all of it to the same name with the prefix `✔ `.",
  params: {
    message_id: json(z.int()).describe("The message's ID."),
    content: z.string().optional().describe("The new text, in Markdown. Not together with stream_id."),
    prev_content_sha256: textUpTo(64)
      .optional()
      .describe(
        "The SHA-256 of the Markdown that the client knows, in hex: refused if the message has another text by now.",
      ),
    topic: alias(z.string(), "subject").optional().describe("The topic to move to."),
    stream_id: json(z.int()).optional().describe("The channel to move to."),
    propagate_mode: propagateMode
      .default("change_one")
      .describe("What to move: only the message, the message and all later ones in its topic, or the whole topic."),
    send_notification_to_old_thread: json(z.boolean())
      .default(false)
      .describe("Whether to post a notice in the old topic that states where the messages went."),
    send_notification_to_new_thread: json(z.boolean())
      .default(true)
      .describe("Whether to post a notice in the new topic that states where the messages came from."),
  },
  returns: {
    detached_uploads: z.array(attachment).describe("The caller's files that no message refers to any longer."),
  },
});

const snapshot = z.strictObject({
  topic: z.string().describe("The topic after the edit."),
  content: z.string().describe("The text after the edit, in Markdown."),
  rendered_content: z.string().describe("The text after the edit, as HTML."),
  timestamp: z.int(),
  user_id: z.int().nullable().describe("Who made the edit; for the first entry, the sender."),
  prev_topic: z.string().optional(),
  prev_stream: z.int().optional(),
  stream: z.int().optional(),
  prev_content: z.string().optional(),
  prev_rendered_content: z.string().optional(),
  content_html_diff: z.string().optional().describe("The new text as HTML, with what was added and removed marked."),
});
export type Snapshot = z.output<typeof snapshot>;

export const getMessageHistory = endpoint({
  operation: "get-message-history",
  method: "GET",
  path: "/messages/{message_id}/history",
  auth: "user",
  scope: "messages:read",
  area,
  summary: "Get a message's edit history",
  description: "The message as it was sent and after each edit, oldest first.",
  params: {
    message_id: json(z.int()).describe("The message's ID."),
    allow_empty_topic_name: json(z.boolean())
      .default(false)
      .describe("Whether an empty topic is given as such, not under its display name."),
  },
  returns: { message_history: z.array(snapshot) },
});

export const endpoints = [updateMessage, getMessageHistory];
