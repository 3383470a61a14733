/** Reads the elements, attributes and schemes that docs/markdown.md lists, for tests that compare rendered messages with them. */
import { readFileSync } from "node:fs";

export interface DocumentedHtml {
  /** Attributes by element. */
  elements: Record<string, string[]>;
  schemes: string[];
}

const words = (text: string): string[] => Array.from(text.matchAll(/`([^`]+)`/g), ([, word = ""]) => word);

/** Two tables, one of the dialect's own elements and one of formulas; a line of schemes begins with "Schemes:". */
export function documentedHtml(): DocumentedHtml {
  const text = readFileSync(new URL("../../docs/markdown.md", import.meta.url), "utf8");
  const [, section = ""] = /\n## The HTML\n([^]*?)\n## /.exec(text) ?? [];
  const elements: Record<string, string[]> = {};
  for (const [, names = "", attributes = ""] of section.matchAll(/^\| *(`[^|]+)\|([^|]*)\|$/gm))
    for (const name of words(names)) elements[name] = [...(elements[name] ?? []), ...words(attributes)];
  const [, schemes = ""] = /^Schemes: ([^]*?)\n\n/m.exec(section) ?? [];
  if (Object.keys(elements).length === 0 || schemes === "")
    throw new Error("docs/markdown.md has no tables of elements, or no schemes");
  return { elements, schemes: words(schemes) };
}
