import { expect, test } from "vitest";
import type { CompiledLinkifier } from "./linkifier.ts";
import { renderMarkdown } from "./render.ts";

const context = { realmUrl: "https://chat.example.com", inlineImagePreview: false };
const link = (href: string, text: string): string => `<a href="${href}">${text}</a>`;

test.for([
  ["https://example.com/a?b=c", link("https://example.com/a?b=c", "https://example.com/a?b=c")],
  ["see example.com.", `see ${link("http://example.com", "example.com")}.`],
  ["(https://example.com/a_(b))", `(${link("https://example.com/a_(b)", "https://example.com/a_(b)")})`],
  ["mail me@example.com!", `mail ${link("mailto:me@example.com", "me@example.com")}!`],
  ["run main.py or a.out", "run main.py or a.out"],
  ["https://example.com?a", link("https://example.com?a", "https://example.com?a")],
  ["https://example.com?", `${link("https://example.com", "https://example.com")}?`],
  ["**https://example.com**", "<strong>https://example.com</strong>"],
  ["http://x.com/`a`", link("http://x.com/`a`", "http://x.com/`a`")],
  ["[*a* `b`](https://example.com)", link("https://example.com", "*a* <code>b</code>")],
  ['[a](example.com "the title")', '<a href="http://example.com" title="the title">a</a>'],
  ["[a](<https://example.com/b c>)", link("https://example.com/b%20c", "a")],
  ["[](https://example.com)", link("https://example.com", "https://example.com")],
  ["[a](javascript:alert)", "[a](javascript:alert)"],
  ["[a](java\tscript:alert)", link("http://java%20%20%20%20script:alert", "a")],
  ["[a](data:text/html,x)", "[a](data:text/html,x)"],
  ["![a](https://example.com/b)", `![a](${link("https://example.com/b", "https://example.com/b")})`],
  ["https://chat.example.com/#narrow/is/dm", link("#narrow/is/dm", "https://chat.example.com/#narrow/is/dm")],
  ["[a](//example.com)", link("http://example.com", "a")],
  ["[a](/help)", link("/help", "a")],
  ["[a](/&sol;example.com)", link("http://example.com", "a")],
  ["[a](java&Tab;script&colon;alert)", "[a](java&Tab;script&colon;alert)"],
  ["[a](https://example.com/?b&amp;c=&eacute;&amp;sol;&d)", link("https://example.com/?b&amp;c=é&amp;sol;&amp;d", "a")],
])("%s", ([text = "", html]) => {
  expect(renderMarkdown(text, context).html).toBe(`<p>${html}</p>`);
});

const ticket = (toUrl: (id: string) => string): CompiledLinkifier => ({
  *matchAll(text) {
    for (const { 0: found, index } of text.matchAll(/(?<=^|\s)#\d+/g)) {
      yield { index, end: index + found.length, groups: { id: found.slice(1) } };
    }
  },
  expand: ({ id = "" }) => toUrl(id),
});

test("linkifiers make links in running text and in bold italics", () => {
  const linkifiers = [ticket((id) => `https://tickets.example.com/${id}`)];
  const html = link("https://tickets.example.com/7", "#7");

  expect(renderMarkdown("see #7", { linkifiers }).html).toBe(`<p>see ${html}</p>`);
  expect(renderMarkdown("**#7** ***#7***", { linkifiers }).html).toBe(
    `<p><strong>#7</strong> <strong><em>${html}</em></strong></p>`,
  );
});

test("linkifiers cannot make links to forbidden URLs", () => {
  const linkifiers = [ticket((id) => `javascript:alert(${id})`)];

  expect(renderMarkdown("see #7", { linkifiers }).html).toBe("<p>see #7</p>");
});

test("the result states whether there is a link and which uploads are linked", () => {
  expect(renderMarkdown("> [a](/user_uploads/1/b.txt)", context)).toMatchObject({
    hasLink: true,
    hasImage: false,
    attachmentPathIds: ["1/b.txt"],
  });
  expect(renderMarkdown("a. b", context)).toMatchObject({ hasLink: false, attachmentPathIds: [] });
});
