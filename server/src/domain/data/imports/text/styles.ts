/** Bold, italic, struck and code in our Markdown, where each of them ends with its line. */
import { literal } from "./literal.ts";
import { isLinkable, linkDestination, type Marks } from "./marks.ts";

export interface Style {
  bold?: boolean;
  italic?: boolean;
  strike?: boolean;
  code?: boolean;
}

const lineParts = /^(\s*)([^]*?)(\s*)$/;

/** The text between marks for its style. Marks inside are left alone. */
export function applyStyle(text: string, style: Style, marks: Marks): string {
  const { bold = false, italic = false, strike = false, code = false } = style;
  if (!bold && !italic && !strike && !code) return text;
  const around = (strike ? "~~" : "") + (bold ? "**" : "") + (italic ? "*" : "");
  const open = around === "" ? "" : marks.add(around);
  const close = around === "" ? "" : marks.add([...around].toReversed().join(""));
  return text
    .split("\n")
    .map((line) => {
      const [, before = "", inner = "", after = ""] = lineParts.exec(line) ?? [];
      if (inner === "") return line;
      const content = code
        ? marks.add(codeSpan(inner))
        : italic || bold
          ? inner.replaceAll("^", () => marks.add("&#94;"))
          : inner;
      return before + open + content + close + after;
    })
    .join("\n");
}

/** Code in a line. */
export function codeSpan(code: string): string {
  const runs = new Set((code.match(/`+/g) ?? []).map((run) => run.length));
  let length = 1;
  while (runs.has(length)) length++;
  const fence = "`".repeat(length);
  // A backtick at an edge would belong to the fence.
  const padded = (code.startsWith("`") ? " " : "") + code + (code.endsWith("`") ? " " : "");
  return fence + padded + fence;
}

/** A block of code. */
export function codeBlock(code: string): string {
  let fence = "```";
  while (code.includes(fence)) fence += "`";
  return `${fence}\n${code.replace(/^\n/, "").trimEnd()}\n${fence}`;
}

/** A plain text as the text of a link. */
export const linkText = (text: string): string =>
  literal(text.replaceAll(/\s+/g, " ").trim()).replaceAll("[", "&#91;").replaceAll("]", "&#93;");

/** A link with a text. */
export function link(text: string, url: string): string {
  const shown = linkText(text);
  if (!isLinkable(url)) return shown === "" ? literal(url) : shown;
  return `[${shown === "" ? url.replaceAll(/[[\]]/g, "") : shown}](${linkDestination(url)})`;
}
