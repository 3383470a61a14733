/** The HTML of code: fenced, with or without a language, or indented. */
import { canonicalLanguage } from "./code-languages.ts";
import type { MarkdownContext } from "./context.ts";
import { escapeAttribute, escapeCode, escapeCodeAndQuotes, escapeQuotes } from "./escape.ts";

type CodeBlocks = Pick<MarkdownContext, "highlight">;

const frame = (code: string, language?: string): string =>
  `<div class="codehilite"${language === undefined ? "" : ` data-code-language="${escapeAttribute(language)}"`}>` +
  `<pre><span></span><code>${code}\n</code></pre></div>`;

function withoutOuterNewlines(code: string): string {
  let start = 0;
  let end = code.length;
  while (start < end && code[start] === "\n") start++;
  while (end > start && code[end - 1] === "\n") end--;
  return code.slice(start, end);
}

export function fencedCode(code: string, tag: string | undefined, { highlight }: CodeBlocks): string {
  const trimmed = withoutOuterNewlines(code);
  if (tag === undefined) {
    const language = languageOfFirstLine(trimmed)?.language;
    const highlighted = language === undefined ? undefined : highlight?.(trimmed, language);
    return frame(highlighted === undefined ? escapeCodeAndQuotes(trimmed) : escapeQuotes(highlighted));
  }
  const language = canonicalLanguage(tag);
  const highlighted = language === undefined ? undefined : highlight?.(trimmed, tag);
  return frame(highlighted ?? escapeCode(trimmed), language ?? tag);
}

export function indentedCode(code: string, { highlight }: CodeBlocks): string {
  let trimmed = withoutOuterNewlines(code);
  const first = languageOfFirstLine(trimmed);
  if (first?.isDirective === true) trimmed = withoutOuterNewlines(trimmed.slice(trimmed.indexOf("\n") + 1));
  const highlighted = first === undefined ? undefined : highlight?.(trimmed, first.language);
  return `${frame(highlighted === undefined ? escapeCodeAndQuotes(trimmed) : escapeQuotes(highlighted))}\n`;
}

const languageLine = /^(?:(?:::+)|#!)((?:\/\w+)*[/ ])?([\w#.+-]*)/;

/** Without a tag, a first line such as `#!/usr/bin/python` or `:::python` names the language. */
function languageOfFirstLine(code: string): { language: string; isDirective: boolean } | undefined {
  const found = languageLine.exec(code);
  if (found === null) return undefined;
  const [, path, name = ""] = found;
  const language = name.toLowerCase();
  if (language === "") return undefined;
  return { language, isDirective: path === undefined };
}
