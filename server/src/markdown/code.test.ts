import { expect, test } from "vitest";
import { renderMarkdown } from "./render.ts";

const framed = (code: string, language = ""): string =>
  `<div class="codehilite"${language}><pre><span></span><code>${code}\n</code></pre></div>`;

test("code without a language is shown literally, with quotes escaped", () => {
  expect(renderMarkdown("```\nif a < 'b'\n```").html).toBe(framed("if a &lt; &#39;b&#39;"));
});

test("a known tag becomes the canonical name of its language", () => {
  expect(renderMarkdown("~~~ py\nx = 'y'\n~~~").html).toBe(framed("x = 'y'", ' data-code-language="Python"'));
});

test("an unknown language keeps its tag as the name", () => {
  expect(renderMarkdown("```elvish\nmellon\n```").html).toBe(framed("mellon", ' data-code-language="elvish"'));
});

test("code without a language gets the organization's default, inside quotes too", () => {
  const context = { defaultCodeBlockLanguage: "sql" };

  expect(renderMarkdown("```\nselect 1\n```", context).html).toBe(framed("select 1", ' data-code-language="SQL"'));
  expect(renderMarkdown("````quote\n```\nselect 1\n```\nx\n````", context).html).toContain('data-code-language="SQL"');
});

test("the highlighter's spans are kept", () => {
  const context = { highlight: (code: string) => `<span class="k">${code}</span>` };

  expect(renderMarkdown("```js\nlet\n```", context).html).toBe(
    framed('<span class="k">let</span>', ' data-code-language="JavaScript"'),
  );
});

test("indented lines are code, including blank lines between them", () => {
  expect(renderMarkdown("    one\n\n    two").html).toBe(framed("one\n\ntwo"));
});

test("an unclosed fence extends to the end", () => {
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

test("a formula is typeset, or shown as typed when it is invalid", () => {
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
