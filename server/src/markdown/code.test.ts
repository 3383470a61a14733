import { expect, test } from "vitest";
import { renderMarkdown } from "./render.ts";

const framed = (code: string, language = ""): string =>
  `<div class="codehilite"${language}><pre><span></span><code>${code}\n</code></pre></div>`;

test("code without a language is shown as it is, quotes escaped", () => {
  expect(renderMarkdown("```\nif a < 'b'\n```").html).toBe(framed("if a &lt; &#39;b&#39;"));
});

test("a language is called by its proper name", () => {
  expect(renderMarkdown("~~~ py\nx = 'y'\n~~~").html).toBe(framed("x = 'y'", ' data-code-language="Python"'));
});

test("an unknown language keeps the name it was given", () => {
  expect(renderMarkdown("```elvish\nmellon\n```").html).toBe(framed("mellon", ' data-code-language="elvish"'));
});

test("the organization's language stands in for a missing one, inside quotes too", () => {
  const context = { defaultCodeBlockLanguage: "sql" };

  expect(renderMarkdown("```\nselect 1\n```", context).html).toBe(framed("select 1", ' data-code-language="SQL"'));
  expect(renderMarkdown("````quote\n```\nselect 1\n```\nx\n````", context).html).toContain('data-code-language="SQL"');
});

test("a highlighter's spans are taken over", () => {
  const context = { highlight: (code: string) => `<span class="k">${code}</span>` };

  expect(renderMarkdown("```js\nlet\n```", context).html).toBe(
    framed('<span class="k">let</span>', ' data-code-language="JavaScript"'),
  );
});

test("indented lines are code, blank lines between them included", () => {
  expect(renderMarkdown("    one\n\n    two").html).toBe(framed("one\n\ntwo"));
});

test("a fence that is not closed lasts to the end", () => {
  expect(renderMarkdown("```\n* no list").html).toBe(framed("* no list"));
});

test.for([
  ["`a`", "<code>a</code>"],
  ["``a`b``", "<code>a`b</code>"],
  ["`**a** &amp; <b>`", "<code>**a** &amp;amp; &lt;b&gt;</code>"],
  ["\\`a`", "\\`a`"],
  ["\\\\`a`", "\\<code>a</code>"],
])("%s", ([text = "", html]) => {
  expect(renderMarkdown(text).html).toBe(`<p>${html}</p>`);
});

test("a formula is handed to the typesetter, and shown as typed when it is none", () => {
  const renderMath = (tex: string, displayMode: boolean): string => {
    if (tex === "bad") throw new Error("no formula");
    return `<span>${displayMode ? "block" : "inline"} ${tex}</span>`;
  };

  expect(renderMarkdown("so $$x$$, $$bad$$", { renderMath }).html).toBe(
    '<p>so <span>inline x</span>, <span class="tex-error">$$bad$$</span></p>',
  );
  expect(renderMarkdown("```math\nx\n\nbad\n```", { renderMath }).html).toBe(
    '<p><span>block x</span>\n\n<span class="tex-error">bad</span></p>',
  );
});
