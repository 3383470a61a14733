/** What is kept of a message's text: no blank ends, no NUL, and not more than the longest message. */
import { textLength } from "@skein/api/endpoint.ts";
import { maxMessageLength } from "@skein/api/messages.ts";
import { ApiError } from "../../errors.ts";

const truncated = "\n[message truncated]";

export function normalizeContent(text: string): string {
  const content = text.trimEnd().replace(/^\n+/, "");
  if (content.trim() === "") throw new ApiError("Message must not be empty");
  if (content.includes("\0")) throw new ApiError("Message must not contain null bytes");
  return truncate(content, maxMessageLength, truncated);
}

/** Cut to `limit` characters, the ending included, when it is longer than that. */
export function truncate(text: string, limit: number, ending: string): string {
  if (text.length <= limit || textLength(text) <= limit) return text;
  const kept = Array.from(text.slice(0, 2 * limit)); // a character has at most two halves
  return kept.slice(0, limit - textLength(ending)).join("") + ending;
}
