/** Code as HTML, with a little color: strings, comments, keywords. What a token is need not be exact. */
import { type Html, markup } from "../../platform/markup.ts";
import type { Json } from "./recorded.ts";

const shell = /(#.*$)|("(?:[^"\\]|\\.)*"|'[^']*')|((?<=^|\s)(?:curl|jq|awk)\b)|((?<=\s)--?[\w-]+)/gm;
const typescript =
  /(\/\/.*$)|("(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)|(\b(?:import|from|const|await|if|for|of|continue|new|try|catch|throw|instanceof)\b)|(\b\d+\b)/gm;

const classes = ["c", "s", "k", "n"] as const;

function colored(text: string, tokens: RegExp): Html {
  const parts: Html[] = [];
  let done = 0;
  for (const match of text.matchAll(tokens)) {
    const kind = classes[match.slice(1).findIndex((group) => group !== undefined)] ?? "s";
    parts.push(markup`${text.slice(done, match.index)}<span class="${kind}">${match[0]}</span>`);
    done = match.index + match[0].length;
  }
  return together([...parts, markup`${text.slice(done)}`]);
}

/** One after the other, without anything between them. */
export const together = (parts: readonly Html[]): Html => parts.reduce((all, part) => markup`${all}${part}`, markup``);

/** A JSON value on several lines, or on one if it is short. */
export function jsonCode(value: Json, indent = 0): Html {
  if (value === null || typeof value !== "object") return scalar(value);
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  if (entries.length === 0) return markup`${isList ? "[]" : "{}"}`;
  const isShort = JSON.stringify(value).length <= 60 && !JSON.stringify(value).includes("…");
  const margin = isShort ? "" : `\n${" ".repeat(indent + 2)}`;
  const end = isShort ? "" : `\n${" ".repeat(indent)}`;
  const items = entries.map(([key, inner], index) => {
    const comma = index === entries.length - 1 || isCut(entries[index + 1]?.[1]) ? "" : isShort ? ", " : ",";
    if (isCut(inner)) return markup`${margin}<span class="c">${inner}</span>`;
    const name = isList ? undefined : markup`<span class="k">${JSON.stringify(key)}</span>: `;
    return markup`${margin}${name}${jsonCode(inner, indent + 2)}${comma}`;
  });
  return markup`${isList ? "[" : isShort ? "{ " : "{"}${together(items)}${end}${isList ? "]" : isShort ? " }" : "}"}`;
}

/** The mark that recording leaves where it has cut a list. */
const isCut = (value: Json | undefined): value is string => typeof value === "string" && /^… \d+ more$/.test(value);

const scalar = (value: string | number | boolean | null): Html =>
  markup`<span class="${typeof value === "string" ? "s" : "n"}">${JSON.stringify(value)}</span>`;

/**
 * A block that can be copied. The button appears when there is a script for it. By its language, tests know how to run what
 * a page prints.
 */
const block = (label: string, language: string, code: Html): Html =>
  markup`<figure class="code"><figcaption>${label}<button type="button" class="copy" hidden>Copy</button></figcaption>
<pre tabindex="0" aria-label="${label}"><code class="language-${language}">${code}</code></pre></figure>`;

export const shellBlock = (label: string, text: string): Html => block(label, "shell", colored(text, shell));
export const typescriptBlock = (label: string, text: string): Html =>
  block(label, "typescript", colored(text, typescript));
export const jsonBlock = (label: string, value: Json): Html => block(label, "json", jsonCode(value));

/** Text in which `code` stands between backquotes. */
export const prose = (text: string): Html =>
  together(text.split("`").map((part, index) => (index % 2 === 0 ? markup`${part}` : markup`<code>${part}</code>`)));
