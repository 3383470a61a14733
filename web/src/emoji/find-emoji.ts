/** Finds emoji by name, for the picker and the typeahead. The index is built once per list. */
import type { Emoji } from "../text/emoji.ts";
import { Matcher } from "../text/matching.ts";

const indexes = new WeakMap<readonly Emoji[], Matcher<Emoji>>();

export function findEmoji(all: readonly Emoji[], query: string, limit: number, recent: readonly string[]): Emoji[] {
  let index = indexes.get(all);
  if (index === undefined) {
    // Words of a name are joined by underscores: each line is a name, indexed with and without them.
    index = new Matcher(all, ({ names }) => names.map((name) => name.replaceAll("_", " ")).join("\n"));
    indexes.set(all, index);
  }
  const weight = new Map(recent.map((name, place) => [name, recent.length - place]));
  return index.find(query.replaceAll("_", " "), limit, ({ name }) => weight.get(name) ?? 0);
}
