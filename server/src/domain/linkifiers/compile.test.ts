import { expect, test } from "vitest";
import { compileLinkifier, findMistakes } from "./compile.ts";

const ticket = compileLinkifier({ pattern: "#(?P<id>[0-9]+)", url_template: "https://bugs.example.org/{id}" });
const found = (text: string): string[] => Array.from(ticket.matchAll(text), ({ index, end }) => text.slice(index, end));

test.each([
  ["#1 #22,#333", ["#1", "#22", "#333"]],
  ["(#1) \"#2\" '#3' <#4 :#5", ["#1", "#2", "#3", "#4", "#5"]],
  ["a\u00A0#1\u3000#2", ["#1", "#2"]],
  ["x#1 )#2 ##3", []],
  ["#1x #2é #3字", []],
  ["#1_ #2- #3.", ["#1", "#2", "#3"]],
  ["#1#2", ["#1"]],
])("matches of %j stand by themselves", (text, matches) => {
  expect(found(text)).toEqual(matches);
});

test("what stands around decides which of several matches it is", () => {
  const linkifier = compileLinkifier({ pattern: "ab|abc", url_template: "https://example.org" });

  expect(Array.from(linkifier.matchAll("abc"), ({ end }) => end)).toEqual([3]);
});

test("a pattern that matches nothing at all makes no links", () => {
  const linkifier = compileLinkifier({ pattern: "x*", url_template: "https://example.org" });

  expect(Array.from(linkifier.matchAll("a  b xx"), ({ index }) => index)).toEqual([5]);
});

test("one text has so many matches and no more, because each may look at all of it again", () => {
  const linkifier = compileLinkifier({ pattern: "a.*b|a", url_template: "https://example.org" });

  expect([...linkifier.matchAll("a ".repeat(300))]).toHaveLength(250);
});

test.each([
  ["https://x/{q}", "a b/ü", "https://x/a%20b%2F%C3%BC"],
  ["https://x/{+q}", "a b/ü", "https://x/a%20b/%C3%BC"],
  ["https://x/{?q}", "a&b", "https://x/?q=a%26b"],
  ["https://x/100%/{q}", "", "https://x/100%25/"],
])("%s expands", (url_template, q, url) => {
  expect(compileLinkifier({ pattern: "(?P<q>.)", url_template }).expand({ q })).toBe(url);
});

test("a group that took no part is empty", () => {
  const linkifier = compileLinkifier({ pattern: "v(?P<a>1)?(?P<b>2)?", url_template: "https://x/{a}-{b}" });

  expect(Array.from(linkifier.matchAll("v2"), ({ groups }) => linkifier.expand(groups))).toEqual(["https://x/-2"]);
});

test.each([
  ["(a", "missing ): (a"],
  ["a)", "unexpected ): a)"],
  ["[a", "missing ]: [a"],
  ["+a", "no argument for repetition operator: +"],
  ["a????", "bad repetition operator: ????"],
  ["(?=a)", "invalid perl operator: (?="],
  ["a{1001}", "invalid repetition size: {1001}"],
  [String.raw`\1`, String.raw`invalid escape sequence: \1`],
  ["a\\", "trailing \\"],
  ["(?P<a>b)(?P<a>c)", "invalid named capture group: a"],
])("the pattern %s is refused in RE2's words", (pattern, message) => {
  expect(findMistakes(pattern, "https://x")).toEqual({ pattern: [`Bad regular expression: ${message}`] });
});

test.each(["https://x/{", "https://x/}", "https://x/{}", "https://x/{a b}", "https://x/{!a}", "https://x/{a:0}"])(
  "%s is no URL template",
  (template) => {
    expect(findMistakes("(?P<a>b)", template)).toEqual({ url_template: ["Invalid URL template."] });
  },
);

test("pattern and template name the same groups", () => {
  expect(findMistakes("(?P<a>b)", "https://x/{a}{?a*}")).toEqual({});
  expect(findMistakes("b", "https://x/{d}/{c}")).toEqual({
    __all__: ["Group 'c' in URL template is not present in linkifier pattern."],
  });
  expect(findMistakes("(?P<d>b)(?P<c>b)", "https://x")).toEqual({
    __all__: ["Group 'c' in linkifier pattern is not present in URL template."],
  });
});

test("neither may be empty, and a quotation must end", () => {
  expect(findMistakes("", "")).toEqual({
    pattern: ["This field cannot be blank."],
    url_template: ["This field cannot be blank."],
  });
  expect(findMistakes(String.raw`\Qa`, "https://x")).toEqual({
    pattern: [expect.stringMatching(/^Bad regular expression: /)],
  });
});
