/** The formatting buttons as edits of a text and its selection. Pressing a button again undoes it. Pure. */
import { t } from "../text/t.ts";
import type { Edit } from "./edit.ts";

export type Format = "bold" | "italic" | "code" | "link" | "list" | "quote";

export interface Selected {
  text: string;
  start: number;
  end: number;
}

export function format(what: Format, selected: Selected): Edit {
  switch (what) {
    case "bold":
      return wrapped(selected, "**", t("composer.boldText"));
    case "italic":
      return wrapped(selected, "*", t("composer.italicText"));
    case "code":
      return code(selected);
    case "link":
      return link(selected);
    case "list":
      return linesWith(selected, "* ", /^[*+-] /);
    case "quote":
      return linesWith(selected, "> ", /^> ?/);
  }
}

const isAsterisks = (mark: string): boolean => mark[0] === "*";

/** The number of asterisks at the end, or start, of a piece. */
const asterisksAtEnd = (text: string): number => /\**$/.exec(text)?.[0].length ?? 0;
const asterisksAtStart = (text: string): number => /^\**/.exec(text)?.[0].length ?? 0;

/** Whether the mark is on both sides: two asterisks are not italic, three are bold and italic. */
function isMarked(before: string, after: string, mark: string): boolean {
  if (!before.endsWith(mark) || !after.startsWith(mark)) return false;
  if (!isAsterisks(mark)) return true;
  const count = Math.min(asterisksAtEnd(before), asterisksAtStart(after));
  return mark.length === 1 ? count % 2 === 1 : count >= 2;
}

function wrapped({ text, start, end }: Selected, mark: string, placeholder: string): Edit {
  const { length } = mark;
  if (isMarked(text.slice(0, start), text.slice(end), mark)) {
    const inner = text.slice(start, end);
    return { from: start - length, to: end + length, insert: inner, select: [start - length, end - length] };
  }
  const chosen = text.slice(start, end);
  const inside = chosen.slice(length, -length);
  if (chosen.length > 2 * length && isMarked(chosen.slice(0, length), chosen.slice(-length), mark)) {
    return { from: start, to: end, insert: inside, select: [start, start + inside.length] };
  }
  // Whitespace inside the marks would stop Markdown from recognizing them.
  const bare = chosen.trim() === "" ? placeholder : chosen.trim();
  const lead = chosen.trim() === "" ? 0 : chosen.length - chosen.trimStart().length;
  const trail = chosen.trim() === "" ? "" : chosen.slice(lead + bare.length);
  const insert = `${chosen.slice(0, lead)}${mark}${bare}${mark}${trail}`;
  const first = start + lead + length;
  return { from: start, to: end, insert, select: [first, first + bare.length] };
}

function code(selected: Selected): Edit {
  const { text, start, end } = selected;
  const chosen = text.slice(start, end);
  if (!chosen.includes("\n")) return wrapped(selected, "`", t("composer.codeText"));
  const before = start === 0 || text[start - 1] === "\n" ? "" : "\n";
  const after = end === text.length || text[end] === "\n" ? "" : "\n";
  // Longer than any fence inside.
  const longest = Math.max(2, ...Array.from(chosen.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const first = start + before.length + fence.length + 1;
  return {
    from: start,
    to: end,
    insert: `${before}${fence}\n${chosen}\n${fence}${after}`,
    select: [first, first + chosen.length],
  };
}

export const isAddress = (text: string): boolean => /^(?:https?:\/\/|mailto:)\S+$/.test(text.trim());

function link({ text, start, end }: Selected): Edit {
  const chosen = text.slice(start, end);
  if (isAddress(chosen)) {
    const words = t("composer.linkText");
    return {
      from: start,
      to: end,
      insert: `[${words}](${chosen.trim()})`,
      select: [start + 1, start + 1 + words.length],
    };
  }
  const words = chosen === "" ? t("composer.linkText") : chosen;
  const url = start + words.length + 3;
  return { from: start, to: end, insert: `[${words}](https://)`, select: [url, url + "https://".length] };
}

/** A URL pasted over selected words turns them into a link. */
export function pastedLink({ text, start, end }: Selected, address: string): Edit | undefined {
  const chosen = text.slice(start, end);
  if (chosen.trim() === "" || chosen.includes("\n") || isAddress(chosen) || !isAddress(address)) return undefined;
  return { from: start, to: end, insert: `[${chosen}](${address.trim()})` };
}

function linesWith({ text, start, end }: Selected, mark: string, pattern: RegExp): Edit {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const next = text.indexOf("\n", Math.max(end, from));
  const to = next === -1 ? text.length : next;
  const lines = text.slice(from, to).split("\n");
  const isOn = lines.every((line) => pattern.test(line));
  const insert = lines.map((line) => (isOn ? line.replace(pattern, "") : mark + line)).join("\n");
  const caret = from + insert.length;
  return { from, to, insert, select: start === end ? [caret, caret] : [from, caret] };
}

/** A new line inside a list continues the list; on an empty item it ends it. */
export function lineBreak({ text, start, end }: Selected): Edit | undefined {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const line = text.slice(from, start);
  const [all, indent = "", sign = "", space = " "] = /^(\s*)([*+-]|\d+\.|>)( +)/.exec(line) ?? [];
  if (all === undefined || start !== end) return undefined;
  if (line === all) return { from, to: start, insert: "" };
  const next = /^\d/.test(sign) ? `${Number.parseInt(sign, 10) + 1}.` : sign;
  return { from: start, to: end, insert: `\n${indent}${next}${space}` };
}
