// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync(`${import.meta.dirname}/tokens.css`, "utf8");

type Scheme = "light" | "dark";
const schemes: readonly Scheme[] = ["light", "dark"];

function colour(name: string, scheme: Scheme): string {
  const [, light, dark] =
    new RegExp(String.raw`--${name}: light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`).exec(css) ?? [];
  const found = scheme === "light" ? light : dark;
  if (found === undefined) throw new Error(`no token ${name}`);
  return found;
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string, scheme: Scheme): number {
  const [light = 0, dark = 0] = [colour(one, scheme), colour(other, scheme)].map(luminance).toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const backgrounds = ["app", "surface", "hover", "selected", "code"];
const words = 4.5;
const signs = 3;

/** Foreground, background, and the minimum contrast. */
const pairs: [front: string, backs: string[], least: number][] = [
  ...["text", "text-2", "text-3", "link"].map((name): [string, string[], number] => [name, backgrounds, words]),
  ["accent", ["surface", "app"], words],
  ["on-accent", ["accent"], words],
  ["on-mention", ["mention"], words],
  ["text", ["mention"], words],
  ...["danger", "success", "warning"].map((name): [string, string[], number] => [
    name,
    ["surface", "app", "hover", "code"],
    words,
  ]),
  ...["comment", "keyword", "string", "number", "name", "type", "meta"].map((name): [string, string[], number] => [
    `code-${name}`,
    ["code"],
    words,
  ]),
  ["border", ["surface", "app"], signs],
  ["focus", backgrounds, signs],
  ["active", ["surface", "app", "hover"], signs],
  ["idle", ["surface", "app", "hover"], signs],
];

const cases = schemes.flatMap((scheme) =>
  pairs.flatMap(([front, backs, least]) =>
    backs.map((back): [string, string, Scheme, number] => [front, back, scheme, least]),
  ),
);

test.each(cases)("%s on %s is seen in the %s scheme", (front, back, scheme, least) => {
  expect(contrast(front, back, scheme)).toBeGreaterThanOrEqual(least);
});

test("every color is defined for both schemes", () => {
  const names = Array.from(css.matchAll(/--([\w-]+): light-dark\(#/g), ([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) for (const scheme of schemes) expect(colour(name, scheme)).toMatch(/^#/);
});
