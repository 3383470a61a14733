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
    "interpolations in a string are plain",
    '<span class="hljs-string">a<span class="hljs-subst">b</span></span>',
    '<span class="s">a</span>b',
  ],
  [
    "a scope without a class keeps the outer one",
    '<span class="hljs-comment">a <span class="hljs-unheard-of">b</span></span>',
    '<span class="c">a b</span>',
  ],
  [
    "adjacent spans of the same class are merged",
    '<span class="hljs-number">1</span><span class="hljs-number">2</span>',
    '<span class="m">12</span>',
  ],
  [
    "no span crosses the end of a line",
    '<span class="hljs-comment">/*\n*/</span>',
    '<span class="c">/*</span>\n<span class="c">*/</span>',
  ],
  [
    "an embedded language starts without a class",
    '<span class="hljs-tag"><span class="language-css">a</span></span>',
    "a",
  ],
  ["quotes stay as typed", "&quot;&#x27;&amp;&lt;", "\"'&amp;&lt;"],
])("%s", (_, html, short) => {
  expect(toShortClasses(html)).toBe(short);
});
