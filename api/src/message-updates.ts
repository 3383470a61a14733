/** The event for a message that was edited, moved, or only rendered again. */
import { z } from "zod";

export const propagateMode = z.enum(["change_one", "change_later", "change_all"]);
export type PropagateMode = z.output<typeof propagateMode>;

export const messageUpdateEvent = z
  .strictObject({
    type: z.literal("update_message"),
    user_id: z.int().nullable().describe("Who changed it; null when it was only rendered again."),
    rendering_only: z.boolean().describe("Whether it was only rendered again, for example with a link preview."),
    message_id: z.int(),
    message_ids: z.array(z.int()).describe("All messages that were moved, this one among them."),
    flags: z.array(z.string()).describe("The reader's flags on the message, except read."),
    edit_timestamp: z.int(),
    stream_id: z.int().optional().describe("Only for channel messages: the channel it was in."),
    stream_name: z.string().optional().describe("Only for channel messages: that channel's name."),
    content: z.string().optional().describe("The text, in Markdown; absent when it did not change."),
    rendered_content: z.string().optional().describe("The text as HTML; absent when it did not change."),
    orig_content: z
      .string()
      .optional()
      .describe("The text before, when somebody edited it and the history of edits is visible."),
    orig_rendered_content: z.string().optional().describe("The text before, as HTML, likewise."),
    is_me_message: z.boolean().optional().describe("Whether the edited message is a status message, written with /me."),
    propagate_mode: propagateMode.optional().describe("Only for moves: which messages were to be moved."),
    orig_subject: z.string().optional().describe("Only for moves: the old topic."),
    subject: z.string().optional().describe("The new topic, if it changed."),
    topic_links: z
      .array(z.strictObject({ text: z.string(), url: z.string() }))
      .optional()
      .describe("What linkifiers found in the new topic."),
    new_stream_id: z.int().optional().describe("The new channel, if it changed."),
  })
  .describe("A message changed, or messages were moved.");
