/** Emoji for the typeahead. The index is made once for each list. */
import { Matcher } from "../composer/matching.ts";
import { mostSuggestions, type Suggestion } from "../composer/sources.ts";
import type { Emoji, EmojiSource } from "./emoji.ts";

const indexes = new WeakMap<readonly Emoji[], Matcher<Emoji>>();

export function findEmoji(all: readonly Emoji[], query: string, limit: number, recent: readonly string[]): Emoji[] {
  let index = indexes.get(all);
  if (index === undefined) {
    // Words of a name are joined by underscores: each line is a name, read with and without them.
    index = new Matcher(all, ({ names }) => names.map((name) => name.replaceAll("_", " ")).join("\n"));
    indexes.set(all, index);
  }
  const weight = new Map(recent.map((name, place) => [name, recent.length - place]));
  return index.find(query.replaceAll("_", " "), limit, ({ name }) => weight.get(name) ?? 0);
}

export const toSuggestion = ({ name, glyph, image }: Emoji): Suggestion => ({
  key: name,
  label: `:${name}:`,
  glyph,
  image,
  insert: `:${name}: `,
});

/** Answers `emoji` of the typeahead's sources. */
export const suggestEmoji =
  (source: EmojiSource) =>
  async ({ query }: { query: string }): Promise<Suggestion[]> => {
    const all = await source.load();
    return findEmoji(all, query, mostSuggestions, source.recent()).map(toSuggestion);
  };
