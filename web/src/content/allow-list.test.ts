// @vitest-environment node
import { expect, test } from "vitest";
import { documentedHtml } from "../../../server/test/documented-html.ts";
import { allowedHtml, allowedMath, allowedSchemes } from "./allow-list.ts";
import { inAlphabet } from "./math.ts";

/** Used only in the second rendering of formulas, which is not shown. */
const notShown = new Set(["svg", "path", "line"]);
const { elements, schemes } = documentedHtml();

test("the allow-list is exactly what docs/markdown.md promises", () => {
  const allowed = { ...allowedHtml, ...allowedMath };
  const promised = Object.keys(elements).filter((name) => !notShown.has(name));
  expect(Object.keys(allowed).toSorted()).toEqual(promised.toSorted());
  for (const [name, attributes] of Object.entries(allowed)) {
    const known = elements[name]?.filter((attribute) => attribute !== "xmlns") ?? [];
    // A style is allowed where its whole text can be checked: table cells and page previews.
    const checked = ["a", "td", "th"].includes(name) ? known : known.filter((attribute) => attribute !== "style");
    expect(attributes.toSorted(), name).toEqual([...new Set(checked)].toSorted());
  }
});

test("link schemes are those in docs/markdown.md", () => {
  expect([...allowedSchemes].toSorted()).toEqual(schemes.toSorted());
});

test.each([
  ["double-struck", "R2x", "ℝ𝟚𝕩"],
  ["fraktur", "gC", "𝔤ℭ"],
  ["bold", "v1", "𝐯𝟏"],
  ["unknown", "v", "v"],
])("in the alphabet %s, %s is %s", (name, text, shown) => {
  expect(inAlphabet(text, name)).toBe(shown);
});
