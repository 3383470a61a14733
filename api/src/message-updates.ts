/** What is told when a message becomes another: its text, its place, or only how it is shown. */
import { z } from "zod";

export const propagateMode = z.enum(["change_one", "change_later", "change_all"]);
export type PropagateMode = z.output<typeof propagateMode>;

export const messageUpdateEvent = z
  .strictObject({
    type: z.literal("update_message"),
    user_id: z.int().nullable().describe("Who changed it; null when it is only shown differently."),
    rendering_only: z.boolean().describe("Whether nobody changed it: its links show something now."),
    message_id: z.int(),
    message_ids: z.array(z.int()).describe("All messages that were moved, this one among them."),
    flags: z.array(z.string()).describe("The reader's flags on the message, but for whether it is read."),
    edit_timestamp: z.int(),
    stream_id: z.int().optional().describe("Only for channel messages: the channel it was in."),
    stream_name: z.string().optional().describe("Only for channel messages: that channel's name."),
    content: z.string().optional().describe("The text, in Markdown; absent when it did not change."),
    rendered_content: z.string().optional().describe("The text as HTML; absent when it did not change."),
    orig_content: z.string().optional().describe("The text before, when somebody edited it."),
    orig_rendered_content: z.string().optional().describe("The text before, as HTML."),
    is_me_message: z.boolean().optional().describe("Whether the edited text tells what the sender does."),
    propagate_mode: propagateMode.optional().describe("Only of a move: which messages were meant to go along."),
    orig_subject: z.string().optional().describe("Only of a move: the topic they were in."),
    subject: z.string().optional().describe("The topic they are in now, where it is another."),
    topic_links: z
      .array(z.strictObject({ text: z.string(), url: z.string() }))
      .optional()
      .describe("What linkifiers found in the new topic."),
    new_stream_id: z.int().optional().describe("The channel they are in now, where it is another."),
  })
  .describe("A message changed, or messages were moved.");
