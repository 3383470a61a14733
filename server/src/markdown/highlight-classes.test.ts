import { expect, test } from "vitest";
import { toShortClasses } from "./highlight-classes.ts";

test.each([
  ["plain text has no span", "a = b", "a = b"],
  ["a scope has its short class", '<span class="hljs-keyword">if</span> x', '<span class="k">if</span> x'],
  [
    "parts of a scope's name count",
    '<span class="hljs-title class_ inherited_">A</span>.<span class="hljs-title function_">b</span>',
    '<span class="nc">A</span>.<span class="nf">b</span>',
  ],
  [
    "the innermost scope decides",
    '<span class="hljs-string">a<span class="hljs-char escape_">\\n</span>b</span>',
    '<span class="s">a</span><span class="se">\\n</span><span class="s">b</span>',
  ],
  [
    "inside a text, what is filled in is plain again",
    '<span class="hljs-string">a<span class="hljs-subst">b</span></span>',
    '<span class="s">a</span>b',
  ],
  [
    "a scope without a class leaves the one around it",
    '<span class="hljs-comment">a <span class="hljs-unheard-of">b</span></span>',
    '<span class="c">a b</span>',
  ],
  [
    "equal neighbours are one",
    '<span class="hljs-number">1</span><span class="hljs-number">2</span>',
    '<span class="m">12</span>',
  ],
  [
    "no span goes over a line's end",
    '<span class="hljs-comment">/*\n*/</span>',
    '<span class="c">/*</span>\n<span class="c">*/</span>',
  ],
  ["another language begins anew", '<span class="hljs-tag"><span class="language-css">a</span></span>', "a"],
  ["quotes stay as typed", "&quot;&#x27;&amp;&lt;", "\"'&amp;&lt;"],
])("%s", (_, html, short) => {
  expect(toShortClasses(html)).toBe(short);
});
