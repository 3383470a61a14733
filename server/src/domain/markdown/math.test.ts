import { expect, test, vi } from "vitest";
import { mathRenderer, maxMathLength } from "./math.ts";

test("a formula becomes markup that names its source", () => {
  const html = mathRenderer()("a < b", false);

  expect(html).toMatch(/^<span class="katex">/);
  expect(html).toContain('<annotation encoding="application/x-tex">a &lt; b</annotation>');
  expect(mathRenderer()("a", true)).toMatch(/^<span class="katex-display">/);
});

test.each([
  ["a mistake", String.raw`\frac{`],
  ["an unknown command", String.raw`\nosuchthing`],
  ["too much of it", "x".repeat(maxMathLength + 1)],
  ["a macro that calls itself", String.raw`\def\a{\a\a}\a`],
  ["a macro that multiplies", String.raw`\def\a{${"x".repeat(400)}}${String.raw`\a`.repeat(400)}`],
])("%s is refused", (_, tex) => {
  expect(() => mathRenderer()(tex, false)).toThrow(/./);
});

test("links, images and raw HTML stay out", () => {
  for (const tex of [
    String.raw`\href{javascript:alert(1)}{x}`,
    String.raw`\includegraphics{https://example.org/a.png}`,
    String.raw`\htmlId{a}{x}`,
  ])
    expect(mathRenderer()(tex, false)).not.toMatch(/href=|<img|id=/);
});

test("a small macro of one's own is fine", () => {
  expect(mathRenderer()(String.raw`\newcommand{\half}{\frac12} \half + \half`, false)).toContain("<mfrac>");
});

test("all formulas of a message share what there is", () => {
  const render = mathRenderer();
  render("x".repeat(maxMathLength - 1), false);

  expect(() => render("xy", false)).toThrow("too much math");
});

test("nothing that is typed reaches the server's output", () => {
  const written: unknown[] = [];
  for (const method of ["log", "warn", "error"] as const)
    vi.spyOn(console, method).mockImplementation((...said) => written.push(said));
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(text) > 0);

  try {
    for (const tex of [
      String.raw`\message{forged line}`,
      String.raw`\errmessage{x}`,
      String.raw`\show\frac`,
      "日本 😀 é ﷽",
    ])
      mathRenderer()(tex, false);
  } finally {
    vi.restoreAllMocks();
  }

  expect(written).toEqual([]);
});
