import { expect, test } from "vitest";
import type { CompiledLinkifier } from "./linkifier.ts";
import { topicLinks } from "./topic-links.ts";

/** Every occurrence of a word, wherever it stands. */
const linking = (word: string, url: string): CompiledLinkifier => ({
  matchAll: (text) =>
    Array.from(text.matchAll(new RegExp(word, "g")), ({ 0: match, index }) => ({
      index,
      end: index + match.length,
      groups: { match },
    })),
  expand: ({ match }) => `${url}/${match}`,
});

test.each([
  ["nothing here", []],
  ["see example.org/a, example.net", ["https://example.org/a", "https://example.net"]],
  ["http://example.org stays http", ["http://example.org"]],
  ["a name.invented is none", []],
])("raw URLs of %j", (topic, urls) => {
  expect(topicLinks(topic).map(({ url }) => url)).toEqual(urls);
});

test("links come in the order of their place, with the text they stand for", () => {
  expect(topicLinks("example.org and T7", [linking("T7", "https://bugs")])).toEqual([
    { text: "example.org", url: "https://example.org" },
    { text: "T7", url: "https://bugs/T7" },
  ]);
});

test("of two that overlap the earlier linkifier's stays, and raw URLs give way", () => {
  const [first, second] = [linking("T7", "https://first"), linking("T7 T8", "https://second")];

  expect(topicLinks("T7 T8", [first, second])).toEqual([{ text: "T7", url: "https://first/T7" }]);
  expect(topicLinks("T7 T8", [second, first])).toEqual([{ text: "T7 T8", url: "https://second/T7 T8" }]);
  expect(topicLinks("https://example.org/T7", [first])).toEqual([{ text: "T7", url: "https://first/T7" }]);
});
