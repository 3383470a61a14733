/** Emoji for the typeahead. */
import { findEmoji } from "../emoji/find-emoji.ts";
import type { Emoji, EmojiSource } from "../text/emoji.ts";
import { maxSuggestions, type Suggestion } from "./sources.ts";

export const toSuggestion = ({ name, glyph, image }: Emoji): Suggestion => ({
  key: name,
  label: `:${name}:`,
  glyph,
  image,
  insert: `:${name}: `,
});

/** The `emoji` source of the typeahead. */
export const suggestEmoji =
  (source: EmojiSource) =>
  async ({ query }: { query: string }): Promise<Suggestion[]> => {
    const all = await source.load();
    return findEmoji(all, query, maxSuggestions, source.recent()).map(toSuggestion);
  };
