import { expect, test } from "vitest";
import type { LinkifierBudget } from "../../../markdown/linkifier.ts";
import { renderMarkdown } from "../../../markdown/render.ts";
import { topicLinksOfPage } from "../../../markdown/topic-links.ts";
import { maxSearchLength, maxMicroseconds, ProcessorBudget } from "./budget.ts";
import { compileLinkifier, findErrors } from "./compile.ts";

const ticket = compileLinkifier({ pattern: "#(?P<id>[0-9]+)", url_template: "https://bugs.example.org/{id}" });
/** For tests of what is found, whose result must not depend on how fast this machine is at the moment. */
const unlimited: LinkifierBudget = { isSpent: false, allows: () => true };
const found = (text: string): string[] => Array.from(ticket.matchAll(text), ({ index, end }) => text.slice(index, end));

test.each([
  ["#1 #22,#333", ["#1", "#22", "#333"]],
  ["(#1) \"#2\" '#3' <#4 :#5", ["#1", "#2", "#3", "#4", "#5"]],
  ["a\u00A0#1\u3000#2", ["#1", "#2"]],
  ["x#1 )#2 ##3", []],
  ["#1x #2é #3字", []],
  ["#1_ #2- #3.", ["#1", "#2", "#3"]],
  ["#1#2", ["#1"]],
])("matches in %j are delimited by the surrounding characters", (text, matches) => {
  expect(found(text)).toEqual(matches);
});

test("the surrounding text decides which of several matches is taken", () => {
  const linkifier = compileLinkifier({ pattern: "ab|abc", url_template: "https://example.org" });

  expect(Array.from(linkifier.matchAll("abc"), ({ end }) => end)).toEqual([3]);
});

test("a pattern that matches the empty text makes no links", () => {
  const linkifier = compileLinkifier({ pattern: "x*", url_template: "https://example.org" });

  expect(Array.from(linkifier.matchAll("a  b xx"), ({ index }) => index)).toEqual([5]);
});

test("the number of matches in one text is limited, because each may scan all of it again", () => {
  const linkifier = compileLinkifier({ pattern: "a.*b|a", url_template: "https://example.org" });

  expect([...linkifier.matchAll("a ".repeat(300), unlimited)]).toHaveLength(250);
});

test.each([
  ["https://x/{q}", "a b/ü", "https://x/a%20b%2F%C3%BC"],
  ["https://x/{+q}", "a b/ü", "https://x/a%20b/%C3%BC"],
  ["https://x/{?q}", "a&b", "https://x/?q=a%26b"],
  ["https://x/100%/{q}", "", "https://x/100%25/"],
])("%s expands", (url_template, q, url) => {
  expect(compileLinkifier({ pattern: "(?P<q>.)", url_template }).expand({ q })).toBe(url);
});

test("a group that did not take part in the match is empty", () => {
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
  expect(findErrors(pattern, "https://x")).toEqual({ pattern: [`Bad regular expression: ${message}`] });
});

test.each(["https://x/{", "https://x/}", "https://x/{}", "https://x/{a b}", "https://x/{!a}", "https://x/{a:0}"])(
  "%s is not a valid URL template",
  (template) => {
    expect(findErrors("(?P<a>b)", template)).toEqual({ url_template: ["Invalid URL template."] });
  },
);

test("pattern and template must name the same groups", () => {
  expect(findErrors("(?P<a>b)", "https://x/{a}{?a*}")).toEqual({});
  expect(findErrors("b", "https://x/{d}/{c}")).toEqual({
    __all__: ["Group 'c' in URL template is not present in linkifier pattern."],
  });
  expect(findErrors("(?P<d>b)(?P<c>b)", "https://x")).toEqual({
    __all__: ["Group 'c' in linkifier pattern is not present in URL template."],
  });
});

test("neither may be empty, and a quotation must be closed", () => {
  expect(findErrors("", "")).toEqual({
    pattern: ["This field cannot be blank."],
    url_template: ["This field cannot be blank."],
  });
  expect(findErrors(String.raw`\Qa`, "https://x")).toEqual({
    pattern: [expect.stringMatching(/^Bad regular expression: /)],
  });
});

const tooLarge = "Bad regular expression: pattern too large - compile failed";

test.each(["(?P<a>[a-z ]{1,1000})", "(?P<a>(x{1,30}){1,30})", `(?P<a>${"x?".repeat(300)})`])(
  "a pattern whose unrolled repetitions are too large is refused: %s",
  (pattern) => {
    expect(findErrors(pattern, "https://x/{a}")).toEqual({ pattern: [tooLarge] });
  },
);

test("a pattern stored before there were limits makes no links and takes no time", () => {
  const large = compileLinkifier({ pattern: "(?P<a>[a-z ]{1,1000})", url_template: "https://x/{a}" });
  const long = compileLinkifier({ pattern: `(?P<a>${"a|".repeat(600)}b)`, url_template: "https://x/{a}" });

  expect([...large.matchAll("some words"), ...long.matchAll("a b")]).toEqual([]);
});

test("a long text is searched in pieces that end at white space, and all matches are found", () => {
  const linkifier = compileLinkifier({ pattern: "#(?P<id>[0-9]{1,200})", url_template: "https://x/{id}" });
  const text = "word #7, ".repeat(240);

  const matches = Array.from(linkifier.matchAll(text, unlimited), ({ index, end }) => text.slice(index, end));

  expect(maxSearchLength(400)).toBeLessThan(text.length);
  expect(matches).toEqual(Array.from({ length: 240 }, () => "#7"));
});

test("a word longer than a piece is skipped, and matches after it are found", () => {
  const linkifier = compileLinkifier({ pattern: "#(?P<id>[0-9]{1,200})", url_template: "https://x/{id}" });

  expect([...linkifier.matchAll(`#1 ${"x".repeat(5000)} #2`, unlimited)]).toHaveLength(2);
});

test("a template that repeats a long match gives no URL", () => {
  const linkifier = compileLinkifier({ pattern: "(?P<a>x+)", url_template: `https://x/${"{a}".repeat(500)}` });

  expect(linkifier.expand({ a: "x".repeat(8) })).toBe(`https://x/${"x".repeat(4000)}`);
  expect(linkifier.expand({ a: "x".repeat(9) })).toBeUndefined();
});

const hostile = (many: number, pattern: (n: number) => string) =>
  Array.from({ length: many }, (_, n) => compileLinkifier({ pattern: pattern(n), url_template: "https://x/{id}" }));

const attacks: [string, string, (n: number) => string][] = [
  ["a wide repetition", " k".repeat(4990), (n) => String.raw`(?P<id>[\pL ]{1,${200 - n}})[QWER]`],
  ["many stars", `${" a".repeat(4990)}Q`, (n) => `(?P<id>.*)${".*".repeat(150 - n)}[xyz]Q`],
  ["many that may be absent", " a".repeat(4990), (n) => `(?P<id>${"[ab ]?".repeat(150 - n)})[cd]`],
  ["short matches", "a ".repeat(4990), (n) => `(?P<id>a|b${n}.*c)`],
];

/** Microseconds of CPU time, which other work of the machine does not affect. */
function cost(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

test.each(attacks)("a hundred linkifiers with %s take no longer than the budget", (_, text, pattern) => {
  const linkifiers = hostile(100, pattern);

  // Without a budget each of these takes ten seconds or more.
  expect(cost(() => renderMarkdown(text, { linkifiers, linkifierBudget: new ProcessorBudget() }))).toBeLessThan(
    12 * maxMicroseconds,
  );
});

test("the topics of one page share a budget, and repeated topics cost nothing", () => {
  const linkifiers = hostile(100, (n) => String.raw`(?P<id>[\pL ]{1,${200 - n}})[QWER]`);
  const linksIn = topicLinksOfPage(linkifiers, new ProcessorBudget());

  const spent = cost(() => {
    for (let n = 0; n < 1000; n++) linksIn(`${n} ${" k".repeat(28)}`);
  });

  expect(spent).toBeLessThan(12 * maxMicroseconds);
  expect(linksIn("1")).toBe(linksIn("1"));
});
