import { expect, test, vi } from "vitest";
import { limitFormulas } from "../../../markdown/math.ts";
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

test("links, images and raw HTML are not rendered", () => {
  for (const tex of [
    String.raw`\href{javascript:alert(1)}{x}`,
    String.raw`\includegraphics{https://example.org/a.png}`,
    String.raw`\htmlId{a}{x}`,
  ])
    expect(mathRenderer()(tex, false)).not.toMatch(/href=|<img|id=/);
});

test("a small macro defined in the formula works", () => {
  expect(mathRenderer()(String.raw`\newcommand{\half}{\frac12} \half + \half`, false)).toContain("<mfrac>");
});

test("all formulas of a message share one budget", () => {
  const render = mathRenderer();
  render("x".repeat(maxMathLength - 1), false);

  expect(() => render("xy", false)).toThrow("too much math");
});

test("however many formulas are refused, there is one error for them all", () => {
  // Building the error takes longer than anything else for a formula that is not typeset.
  const refusals = (render: (tex: string, displayMode: boolean) => string) => {
    const seen = new Set<unknown>();
    for (let n = 0; n < 1000; n++)
      try {
        render("xyz", false);
      } catch (error) {
        seen.add(error);
      }
    return seen.size;
  };

  expect(refusals(mathRenderer())).toBe(1);
  expect(refusals(limitFormulas(() => ""))).toBe(1);
});

test("nothing a user types reaches the server's output", () => {
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
