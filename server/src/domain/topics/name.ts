/** Topic names: trimmed, cut to length, without characters nobody can see; several spellings mean the empty topic. */
import { textLength } from "@skein/api/endpoint.ts";
import { emptyTopicDisplayName, maxTopicLength } from "@skein/api/messages.ts";
import { ApiError } from "../../errors.ts";
import type { Realm } from "../../http/sessions.ts";
import { truncate } from "../messages/content.ts";

/** Control characters, halves of characters, and code points that are none. */
const invisible = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;
const spellingsOfEmpty = new Set(["", "(no topic)", emptyTopicDisplayName]);

/** The topic a message is to be sent to. */
export function normalizeTopic(realm: Realm, text: string): string {
  const topic = readTopic(text);
  if (topic === "" && realm.mandatory_topics) throw new ApiError("Topics are required in this organization.");
  return topic;
}

/** A topic somebody speaks of, whether or not one may write to it. */
export function readTopic(text: string): string {
  const trimmed = text.trim();
  const at = trimmed.search(invisible);
  if (at >= 0) throw new ApiError(`Invalid character in topic, at position ${textLength(trimmed.slice(0, at)) + 1}!`);
  return spellingsOfEmpty.has(trimmed) ? "" : truncate(trimmed, maxTopicLength, "...");
}
