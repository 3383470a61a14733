/** Builds the sprite of all icons from lucide's files. Runs when icons change, never in a browser. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { iconNames } from "./icon-names.ts";

const { resolve } = createRequire(import.meta.url);

function symbol(name: string): string {
  const file = readFileSync(resolve(`lucide-static/icons/${name}.svg`), "utf8");
  const [, shapes = ""] = /<svg[^>]*>([^]*)<\/svg>/.exec(file) ?? [];
  const compact = shapes.replaceAll(/\s*\n\s*/g, "").replaceAll(" />", "/>");
  return `<symbol id="${name}" viewBox="0 0 24 24">${compact}</symbol>`;
}

export const sprite = (): string =>
  `<svg xmlns="http://www.w3.org/2000/svg">\n<!-- Icons of lucide (ISC, parts MIT), https://lucide.dev/license -->\n${iconNames
    .map(symbol)
    .join("\n")}\n</svg>\n`;
