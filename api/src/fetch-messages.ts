import { z } from "zod";
import { deprecated, endpoint, json } from "./endpoint.ts";
import { messageObject } from "./messages.ts";
import { narrow } from "./narrow.ts";

/** So many messages can be asked for at once. */
export const maxFetchedMessages = 5000;

/** The anchor that stands for the newest message. */
export const newestAnchor = 10_000_000_000_000_000;

/** Where a range of messages begins, and how far it goes to either side. */
export const rangeParams = {
  anchor: z
    .string()
    .meta({ examples: ["43", "newest"] })
    .describe("A message ID, newest, oldest or first_unread."),
  include_anchor: json(z.boolean()).default(true).describe("Whether the message at the anchor belongs to the range."),
  num_before: json(z.int().min(0)).describe("How many messages before the anchor."),
  num_after: json(z.int().min(0)).describe("How many messages after the anchor."),
};

const matches = {
  match_content: z.string().describe("The HTML, with the words found inside spans of the class highlight."),
  match_subject: z.string().describe("The topic as HTML, likewise."),
};

const foundMessage = messageObject
  .extend({ match_content: matches.match_content.optional(), match_subject: matches.match_subject.optional() })
  .meta({ id: "FoundMessage" });
export type FoundMessage = z.output<typeof foundMessage>;

export const getMessages = endpoint({
  operation: "get-messages",
  method: "GET",
  path: "/messages",
  auth: "user",
  area: "Messages",
  summary: "Get messages",
  description:
    "Messages around an anchor, or some by their IDs, by way of a narrow. Without a term that names channels only " +
    "what the caller was sent is looked at.",
  params: {
    ...rangeParams,
    anchor: rangeParams.anchor.optional(),
    include_anchor: json(z.boolean()).optional().describe("Whether the message at the anchor is among them; true."),
    num_before: rangeParams.num_before.optional(),
    num_after: rangeParams.num_after.optional(),
    message_ids: json(z.array(z.int()))
      .optional()
      .describe("Just these, in place of a range. Those the caller may not read are left out."),
    narrow: json(narrow.nullable()).optional().describe("Which messages; all when left out."),
    client_gravatar: json(z.boolean())
      .default(true)
      .describe("Whether the client computes avatar addresses where it can; they are null then."),
    apply_markdown: json(z.boolean()).default(true).describe("Whether content is HTML rather than Markdown."),
    allow_empty_topic_name: json(z.boolean())
      .default(false)
      .describe("Whether an empty topic is given as such, not under its display name."),
    use_first_unread_anchor: deprecated(json(z.boolean()))
      .optional()
      .describe("The older way to say anchor=first_unread."),
  },
  returns: {
    messages: z.array(foundMessage).describe("By ID, ascending."),
    // Past what `z.int()` takes, yet exact.
    anchor: z
      .number()
      .meta({ type: "integer" })
      .optional()
      .describe("The anchor as a number, 10000000000000000 for newest; absent with message_ids."),
    found_anchor: z.boolean().describe("Whether the message at the anchor is among them."),
    found_oldest: z.boolean().describe("Whether there are none before them."),
    found_newest: z.boolean().describe("Whether there are none after them."),
    history_limited: z.boolean().describe("Whether older ones are hidden; never the case here."),
  },
});

export const matchNarrow = endpoint({
  operation: "check-messages-match-narrow",
  method: "GET",
  path: "/messages/matches_narrow",
  auth: "user",
  area: "Messages",
  summary: "Check if messages match a narrow",
  description: "Which of some messages the caller was sent a narrow holds for.",
  params: {
    msg_ids: json(z.array(z.int()).max(maxFetchedMessages)).describe("The messages' IDs."),
    narrow: json(narrow).describe("The narrow."),
  },
  returns: {
    messages: z
      .record(z.string(), z.strictObject(matches))
      .describe("By message ID, those it holds for; with the words found marked where it searches."),
  },
});
