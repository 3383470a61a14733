import { expect, test } from "vitest";
import { compileLinkifier, findErrors } from "../../../server/src/domain/organization/linkifiers/compile.ts";
import { linkify, type Piece } from "./linkify.ts";
import { Pattern, PatternError } from "./re2.ts";

const patterns = [
  "#(?P<id>[0-9]+)",
  "(?P<id>[A-Z]{2,5}-\\d+)",
  "(?i)bug[ -]?(?P<id>\\d{1,4})",
  "(?P<id>ab|abc|a.c)",
  "(?P<id>(?:[a-z]+-)+[a-z]+)",
  "(?P<id>\\pL+)@(?P<b>[\\w.-]+)",
  "(?P<id>[^\\s,]+?)\\.(?:md|txt)",
  "v(?P<a>1)?(?P<id>2)?",
  "\\Q(x)\\E(?P<id>[[:digit:]]*)",
  "(?P<id>\\x{41}\\x42?)",
  "(?P<id>(a|b)*c)",
  "(?P<id>(?:x|(?P<n>y))+)",
  "(?s)<(?P<id>.+)>",
  "(?U)(?P<id>a+)b?",
  "(?P<id>\\bfoo\\b)",
  "(?P<id>[-+]?\\d+)",
  "(?P<id>[\\]a-c]+)",
  "(?P<id>\\p{Greek}+|\\P{L}{2})",
];
const texts = [
  "#1 #22,#333 x#4 #5x",
  "see ABC-12, AB-1 and abc-9 (ZZ-77)",
  "BUG 12 bug-7 bug99999",
  "abc ab a\u00E9c",
  "one-two three-four-five six",
  "n\u00FCrnberg@x.y.z, \u03B1\u03B2\u03B3 !?",
  "readme.md notes.txt,a.b.md",
  "v2 v1 v12 v",
  "(x)12 (x)",
  "A AB aab aaab ababc",
  "yxy xyx yy",
  "<a\nb> <c>",
  "foo -3 +4 ]ab",
  "\u{1F600} #7\u3000#8",
];

const variables = (pattern: string): string =>
  [...new Pattern(pattern).names.keys()].map((name) => `{${name}}`).join("/");

test.each(patterns)("%s makes the same links as on the server", (pattern) => {
  const linkifier = { pattern, url_template: `https://x/${variables(pattern)}` };
  expect(findErrors(pattern, linkifier.url_template)).toEqual({});
  const compiled = compileLinkifier(linkifier);

  for (const text of texts) {
    const expected = Array.from(compiled.matchAll(text), ({ index, end, groups }) => ({
      text: text.slice(index, end),
      url: compiled.expand(groups),
    }));
    const links = linkify(text, [linkifier]).filter((piece) => "url" in piece);
    expect(links, text).toEqual(expected);
  }
});

test.each([
  "(a",
  "a)",
  "[a",
  "+a",
  "a????",
  "(?=a)",
  "a{1001}",
  String.raw`\1`,
  "a\\",
  "(?P<a>b)(?P<a>c)",
  "\\Qa",
  "\\p{Nope}",
])("%s is refused, as on the server", (pattern) => {
  expect(findErrors(pattern, "https://x")).not.toEqual({});
  expect(() => linkify("a", [{ pattern, url_template: "https://x" }])).toThrow(PatternError);
});

test("a pattern that would take other engines years takes no time", () => {
  expect(linkify("a".repeat(200), [{ pattern: "(?:a+)+b", url_template: "https://x" }])).toEqual([
    { text: "a".repeat(200) },
  ]);
});

test("a link is left alone by the linkifiers after it, and code is never run", () => {
  const linkifiers = [
    { pattern: "#(?P<id>\\d+)", url_template: "https://a/{id}" },
    { pattern: "(?P<id>[#\\w]+)", url_template: "https://b/{id}" },
    { pattern: "(?P<code>.*)", url_template: "javascript:{code}" },
  ];

  expect(linkify("#1 x", linkifiers)).toEqual<Piece[]>([
    { text: "#1", url: "https://a/1" },
    { text: " " },
    { text: "x", url: "https://b/x" },
  ]);
});
