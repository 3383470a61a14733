import { z } from "zod";
import { deprecated, endpoint, json, list, manyIds, textUpTo } from "./endpoint.ts";
import { messageObject } from "./messages.ts";
import { narrow } from "./narrow.ts";

/** The maximum number of messages per request. */
export const maxFetchedMessages = 5000;

/** The anchor that stands for the newest message. */
export const newestAnchor = 10_000_000_000_000_000;

/** A range of messages: its anchor, and how far it extends to either side. */
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
  scope: "messages:read",
  area: "Messages",
  summary: "Get messages",
  description:
    "Messages around an anchor, or with given IDs, that match a narrow. Without a term that names channels, only " +
    "messages that the caller received are searched.",
  params: {
    ...rangeParams,
    anchor: z
      .string()
      .meta({ examples: ["43", "newest"] })
      .optional()
      .describe("A message ID, newest, oldest, first_unread or date."),
    anchor_date: textUpTo(100)
      .meta({ examples: ["2026-01-31", "2026-01-31T09:30:00Z"] })
      .optional()
      .describe(
        "With anchor=date: the first message at or after this time, or the newest. An ISO 8601 date, which begins at " +
          "midnight UTC, or date and time, in UTC unless it names a zone.",
      ),
    include_anchor: json(z.boolean()).optional().describe("Whether the message at the anchor is among them; true."),
    num_before: rangeParams.num_before.optional(),
    num_after: rangeParams.num_after.optional(),
    message_ids: json(list(z.int(), manyIds))
      .optional()
      .describe("Fetch these messages instead of a range. Those the caller may not read are omitted."),
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
      .describe("The older form of anchor=first_unread."),
  },
  returns: {
    messages: z.array(foundMessage).describe("By ID, ascending."),
    // Outside the range of `z.int()`, but exact.
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
  scope: "messages:read",
  area: "Messages",
  summary: "Check if messages match a narrow",
  description: "Check which of the given messages, among those the caller received, match a narrow.",
  params: {
    msg_ids: json(list(z.int(), maxFetchedMessages)).describe("The messages' IDs."),
    narrow: json(narrow).describe("The narrow."),
  },
  returns: {
    messages: z
      .record(z.string(), z.strictObject(matches))
      .describe("The matching messages by ID, with search terms highlighted."),
  },
});

export const endpoints = [getMessages, matchNarrow];
