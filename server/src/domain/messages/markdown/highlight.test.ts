import { expect, test } from "vitest";
import { codeHighlighter, maxHighlightedLength, maxHighlightedLine } from "./highlight.ts";

test.each([
  ["py", "return None", '<span class="k">return</span> <span class="kc">None</span>'],
  ["html", "<b>", '<span class="p">&lt;</span><span class="nt">b</span><span class="p">&gt;</span>'],
  ["html", "<script>let a</script>", expect.stringContaining('<span class="k">let</span> a')],
  ["php", "$a = 'b';", '<span class="nv">$a</span> = <span class="s">\'b\'</span>;'],
  ["c#", "int a;", '<span class="nb">int</span> a;'],
  ["toml", "# a & b", '<span class="c"># a &amp; b</span>'],
])("%s: %s", (tag, code, html) => {
  expect(codeHighlighter()(code, tag)).toEqual(html);
});

test("code in an unknown language stays plain", () => {
  expect(codeHighlighter()("x", "klingon")).toBeUndefined();
  expect(codeHighlighter()("x", "../../package")).toBeUndefined();
});

test("the amount of highlighted code in a message is limited", () => {
  const highlight = codeHighlighter();
  const code = "a\n".repeat(maxHighlightedLength / 2);

  expect(highlight(code, "js")).toBe(code);
  expect(highlight("a", "js")).toBeUndefined();
  expect(codeHighlighter()(`${code}a`, "js")).toBeUndefined();
  expect(codeHighlighter()("a".repeat(maxHighlightedLine + 1), "js")).toBeUndefined();
});
