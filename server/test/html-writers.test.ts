/**
 * Only a few places produce HTML, and all of them escape automatically: the message renderer, and the template `markup` for
 * mail and pages. If your change fails here, it writes HTML somewhere else; use `markup` instead.
 */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;

/** Files that write HTML by hand, and why they may. */
const writers: Record<string, string> = {
  "api/src/page-frame.ts": "the frame of all pages, and the escaping",
  "server/src/platform/markup.ts": "the template itself",
  "server/src/domain/data/exports/zulip/messages.ts": "a paragraph of escaped text, for an earlier version",
  "server/src/domain/data/imports/run/render.ts": "a paragraph of escaped text, for what cannot be rendered",
  "server/src/domain/data/merge/mentions.ts": "the escaped name in a mention of rendered HTML",
  "server/src/domain/messages/narrow/conditions.ts": "how a mention begins, to find it in rendered HTML",
  "server/src/domain/messages/search/highlight.ts": "one fixed element around words, in rendered or escaped HTML",
  "server/src/domain/administration/realm-icon/pages.ts": "a picture of our own, with nothing of anybody's in it",
};
const isRenderer = (file: string) => file.startsWith("server/src/markdown/");

const sources = globSync(["api/src/**/*.ts", "server/src/**/*.ts"], { cwd: root })
  .filter((file) => !file.endsWith(".test.ts") && !file.includes("/test-data/"))
  .map((file) => ({ file, text: withoutComments(readFileSync(root + file, "utf8")) }));

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(?:\/\*\*?|\*|\/\/).*$/gm, "");
}

/** The text without its `markup` templates. */
function withoutMarkup(text: string): string {
  const opening = "markup`";
  const begin = text.indexOf(opening);
  if (begin < 0) return text;
  const end = endOfTemplate(text, begin + opening.length);
  return text.slice(0, begin) + withoutMarkup(text.slice(end));
}

function endOfTemplate(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text.startsWith("${", at)) depth++;
    else if (depth > 0 && text[at] === "}") depth--;
    else if (text[at] === "`") {
      if (depth === 0) return at + 1;
      at = endOfTemplate(text, at + 1) - 1;
    }
  }
  return text.length;
}

const element =
  /<\/?(?:a|b|body|br|button|code|div|em|form|h[1-6]|head|html|i|iframe|img|input|label|li|ol|p|pre|script|span|strong|style|svg|table|td|th|title|tr|ul|video)(?:\s[^<>]*)?>/;

test("only modules that escape their output contain HTML", () => {
  const found = sources
    .filter(({ file }) => !isRenderer(file) && !(file in writers))
    .filter(({ text }) => element.test(withoutMarkup(text)))
    .map(({ file }) => file);

  expect(found).toEqual([]);
  for (const file of Object.keys(writers)) expect(sources.map((source) => source.file)).toContain(file);
});

test("only the template marks text as HTML", () => {
  const found = sources.filter(({ text }) => /new Html\(/.test(text)).map(({ file }) => file);

  expect(found).toEqual(["server/src/platform/markup.ts"]);
});

test("only the API reference and the pages produce web pages", () => {
  const found = sources.filter(({ text }) => text.includes('"text/html; charset')).map(({ file }) => file);

  expect(found.toSorted()).toEqual(["server/src/http/docs.ts", "server/src/http/pages/plain-page.ts"]);
});

test.each([
  ["markup`<p>${name}</p>`", false],
  ["markup`<ul>${items.map((item) => markup`<li>${item}</li>`)}</ul>`", false],
  ["markup`<p>`; const x = `<p>${name}</p>`", true],
  ["`<a href=${url}>`", true],
  ["'<br>' + text", true],
  ["const x: Promise<void> = list<string>(a < b)", false],
])("%s", (text, isFound) => {
  expect(element.test(withoutMarkup(text))).toBe(isFound);
});
