import { expect, test } from "vitest";
import type { CompiledLinkifier } from "./linkifier.ts";
import { topicLinks } from "./topic-links.ts";

/** Matches every occurrence of a word, without boundaries. */
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

test("links are in order of position, with the text they replace", () => {
  expect(topicLinks("example.org and T7", [linking("T7", "https://bugs")])).toEqual([
    { text: "example.org", url: "https://example.org" },
    { text: "T7", url: "https://bugs/T7" },
  ]);
});

test("where links overlap, the earlier linkifier wins, and linkifiers win over raw URLs", () => {
  const [first, second] = [linking("T7", "https://first"), linking("T7 T8", "https://second")];

  expect(topicLinks("T7 T8", [first, second])).toEqual([{ text: "T7", url: "https://first/T7" }]);
  expect(topicLinks("T7 T8", [second, first])).toEqual([{ text: "T7 T8", url: "https://second/T7 T8" }]);
  expect(topicLinks("https://example.org/T7", [first])).toEqual([{ text: "T7", url: "https://first/T7" }]);
});

test.each(["javascript:alert(1)//", "JavaScript:x", "\tjava\nscript:x", "data:text/html,x", "vbscript:x", "blob:x"])(
  "a linkifier that leads to %j makes no link",
  (url) => {
    expect(topicLinks("T7", [linking("T7", url)])).toEqual([]);
  },
);
