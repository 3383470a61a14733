import { expect, test } from "vitest";
import { contentHtmlDiff } from "./html-diff.ts";

const added = (text: string): string => `<span class="highlight_text_inserted">${text}</span>`;
const gone = (text: string): string => `<span class="highlight_text_deleted">${text}</span>`;

test.each([
  ["empty texts", "", "", ""],
  ["equal texts have no marks", "<p>same words</p>", "<p>same words</p>", "<p>same words</p>"],
  [
    "insertions come before deletions",
    "<p>the quick brown fox jumps</p>",
    "<p>the quick red fox jumps</p>",
    `<p>the quick ${added("red")} ${gone("brown")} fox jumps</p>`,
  ],
  ["a word is removed", "<p>we do not agree</p>", "<p>we do agree</p>", `<p>we do ${gone("not")} agree</p>`],
  [
    "marks are inside blocks",
    "<p>one</p>",
    "<p>one</p>\n<p>two</p>\n<ul>\n<li>three</li>\n</ul>",
    `<p>one</p> <p>${added("two")}</p>${added(" ")}<ul><li>${added("three")}</li>${added(" ")}</ul>`,
  ],
  [
    "different tags around equal words are not a change",
    "<p>so <strong>very</strong> loud</p>",
    "<p>so <em>very</em> loud</p>",
    "<p>so <em>very</em> loud</p>",
  ],
  [
    "a changed URL is shown",
    '<p>read <a href="https://example.org/1">this</a> please do</p>',
    '<p>read <a href="https://example.org/2">this</a> please do</p>',
    `<p>read <a href="https://example.org/2">this ${added(" Link: https://example.org/2")} ${gone(
      " Link: https://example.org/1",
    )} </a> please do</p>`,
  ],
])("%s", (_, before, after, shown) => {
  expect(contentHtmlDiff(before, after)).toBe(`<div>${shown}</div>`);
});

test("long texts with few different words are compared in reasonable time", () => {
  const words = (length: number, different: number): string =>
    `<p>${Array.from({ length }, (_, index) => `w${(index * 7919) % different}`).join(" ")}</p>`;
  const begun = performance.now();

  contentHtmlDiff(words(3000, 100), words(2900, 97));

  expect(performance.now() - begun).toBeLessThan(2000);
});

test("texts that share every other word are compared in reasonable time", () => {
  const words = (other: string): string =>
    `<p>${Array.from({ length: 8000 }, (_, index) => `w${index} ${other}`).join(" ")}</p>`;
  const begun = performance.now();

  contentHtmlDiff(words("a"), words("b"));

  expect(performance.now() - begun).toBeLessThan(2000);
});

test("very long HTML is shown as completely replaced", () => {
  const [before, after] = [`<p>${"a ".repeat(40_000)}</p>`, `<p>${"a ".repeat(40_001)}</p>`];
  const [now, then] = [
    `<div class="highlight_text_inserted">${after}</div>`,
    `<div class="highlight_text_deleted">${before}</div>`,
  ];

  expect(contentHtmlDiff(before, after)).toBe(`<div>${now}${then}</div>`);
});
