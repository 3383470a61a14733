/** Topic names are trimmed, truncated and free of invisible characters; several spellings mean the empty topic. */
import { textLength } from "@skein/api/endpoint.ts";
import { emptyTopicDisplayName, maxTopicLength } from "@skein/api/messages.ts";
import { ApiError } from "../../../errors.ts";
import { truncate } from "../../base/truncate.ts";

/** Control characters, lone surrogates and noncharacters. */
const invisible = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;
const spellingsOfEmpty = new Set(["", "(no topic)", emptyTopicDisplayName]);

/** A topic as a request refers to it, whether or not messages may be sent to it: see policy.ts. */
export function readTopic(text: string): string {
  const trimmed = text.trim();
  const at = trimmed.search(invisible);
  if (at >= 0) throw new ApiError(`Invalid character in topic, at position ${textLength(trimmed.slice(0, at)) + 1}!`);
  return spellingsOfEmpty.has(trimmed) ? "" : truncate(trimmed, maxTopicLength, "...");
}

/** The topic's name for a client that may not support the empty one. */
export const shownTopic = (topic: string, form: { empty_topic_name: boolean }): string =>
  topic === "" && !form.empty_topic_name ? emptyTopicDisplayName : topic;
