import { expect, test } from "vitest";
import { markedHtml, toMatches } from "./highlight.ts";

/** The database's marks around a word. */
const found = (text: string) => `\u{10FFFD}${text}\u{10FFFC}`;
const span = (text: string) => `<span class="highlight">${text}</span>`;

const cases: [string, string, string][] = [
  ["text", `<p>a ${found("word")}</p>`, `<p>a ${span("word")}</p>`],
  ["several words", `${found("one")} ${found("two")}`, `${span("one")} ${span("two")}`],
  ["an attribute", `<a href="${found("x")}">${found("x")}</a>`, `<a href="x">${span("x")}</a>`],
  [
    "an attribute with a sign in it",
    `<a title="1 > ${found("0")}">${found("0")}</a>`,
    `<a title="1 > 0">${span("0")}</a>`,
  ],
  ["the name of a tag", `<${found("b")}>b</${found("b")}>`, "<b>b</b>"],
  ["an entity beside it", `&lt;${found("b")}&gt;`, `&lt;${span("b")}&gt;`],
  ["a tag that never ends", `<a href="${found("x")}`, `<a href="${span("x")}`],
];

test.each(cases)("a word in %s is marked where possible", (_, marked, html) => {
  expect(markedHtml(marked)).toBe(html);
});

test("a topic is escaped as text, and an empty one gets its display name", () => {
  const row = { match_content: "", match_topic: `<i> & ${found("word")}` };
  expect(toMatches(row, { empty_topic_name: false }).match_subject).toBe(`&lt;i&gt; &amp; ${span("word")}`);
  expect(toMatches({ ...row, match_topic: "" }, { empty_topic_name: false }).match_subject).toBe("general chat");
  expect(toMatches({ ...row, match_topic: "" }, { empty_topic_name: true }).match_subject).toBe("");
});
