import fc from "fast-check";
import { decodeHTML } from "entities";
import { expect, test } from "vitest";
import { renderMarkdown } from "../../../../markdown/render.ts";
import { literal } from "./literal.ts";
import { cleanText } from "./marks.ts";

/** What a reader sees of a text without markup; undefined if there is any. */
function shown(html: string): string | undefined {
  const text = html
    .replaceAll("<br>\n", "\n")
    .replaceAll(/<\/p>\n<p>/g, "\n")
    .replaceAll(/^<p>|<\/p>$/g, "");
  return text.includes("<") ? undefined : decodeHTML(text);
}

test.for([
  "@**all** @**Vera Plain|12** @*group* @_**all**",
  "#**calm-c>x** #**calm-c** #**a>b@12**",
  "2*3*4, 2 * 3, **bold**, ***both***, * at * blanks",
  "snake_case ~one~ ~~two~~ ~~~three",
  "`code` ```fence",
  "<b>HTML</b> <time:2024-01-01> a < b > c",
  "$$x$$ $5 and $6",
  "&amp; &#42; &nbsp; & &x",
  "[click](javascript) [a](b) [c] (d)",
  ":smile: 12:30:45",
  "# heading",
  "> quote",
  "a | b\n--- | ---\n1 | 2",
  "---",
  "a\n___\nb",
])("%j is shown as it is", (text) => {
  expect(shown(renderMarkdown(literal(text)).html)).toBe(text);
});

test.for(["plain words", "2 * 3", "$5 at 12:30, a_b", "A & B", "(see #3, @you)", "https://x.example/a?b=1&c=2"])(
  "%j needs no entities",
  (text) => {
    expect(literal(text)).toBe(text);
  },
);

test("nothing in a text means anything: no mention, no link to a channel, no emphasis, no formula", () => {
  const parts = [
    "@",
    "#",
    "*",
    "**",
    "_",
    "~~",
    "`",
    "```",
    "$$",
    "<time:",
    ">",
    "]",
    "(",
    "[",
    "all",
    "a",
    " ",
    "\n",
    "&#42;",
    "\\",
    "|",
    "---",
    ":smile:",
    "    ",
  ];
  const text = fc.array(fc.constantFrom(...parts), { maxLength: 25 }).map((chosen) => chosen.join(""));
  fc.assert(
    fc.property(text, (given) => {
      const rendered = renderMarkdown(literal(cleanText(given)), { renderMath: () => "<math>" });
      expect(rendered.mentionsChannel).toBe(false);
      expect(rendered.html).not.toMatch(/<(?:em|strong|del|code|a|span|time|math|h\d|blockquote|table|hr|pre)[ >]/);
    }),
    { numRuns: 2000 },
  );
});
