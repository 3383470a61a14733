import { textLength } from "@skein/api/endpoint.ts";

/** Cuts a text to `limit` characters, including the ending. */
export function truncate(text: string, limit: number, ending: string): string {
  if (text.length <= limit || textLength(text) <= limit) return text;
  const kept = Array.from(text.slice(0, 2 * limit)); // a character is at most two UTF-16 code units
  return kept.slice(0, limit - textLength(ending)).join("") + ending;
}
