// @vitest-environment node
import { expect, test } from "vitest";
import type { Edit } from "./edit.ts";
import { format, type Format, lineBreak, pastedLink, type Selected } from "./formatting.ts";

/** Bars mark the selection; a single bar is the caret. */
function read(marked: string): Selected {
  const start = marked.indexOf("|");
  const text = marked.replaceAll("|", "");
  const end = marked.lastIndexOf("|");
  return { text, start, end: end === start ? start : end - 1 };
}

function written({ text }: Selected, { from, to, insert, select }: Edit): string {
  const next = text.slice(0, from) + insert + text.slice(to);
  const [start, end] = select ?? [from + insert.length, from + insert.length];
  const marked = `${next.slice(0, end)}|${next.slice(end)}`;
  return start === end ? marked : `${marked.slice(0, start)}|${marked.slice(start)}`;
}

test.each<[string, Format, string, string]>([
  ["bold", "bold", "a |word| b", "a **|word|** b"],
  ["bold again", "bold", "a **|word|** b", "a |word| b"],
  ["bold with its marks selected", "bold", "a |**word**| b", "a |word| b"],
  ["bold on nothing", "bold", "a |", "a **|bold text|**"],
  ["bold leaves spaces outside", "bold", "a| word |b", "a **|word|** b"],
  ["italic inside bold", "italic", "**|word|**", "***|word|***"],
  ["italic off, bold stays", "italic", "***|word|***", "**|word|**"],
  ["code", "code", "|x|", "`|x|`"],
  ["code of several lines", "code", "|a\nb|", "```\n|a\nb|\n```"],
  ["code with a fence inside", "code", "|```\nb|", "````\n|```\nb|\n````"],
  ["a link", "link", "see |docs|", "see [docs](|https://|)"],
  ["a link from a URL", "link", "|https://x.com|", "[|text|](https://x.com)"],
  ["a list", "list", "|one\ntwo|", "|* one\n* two|"],
  ["a list again", "list", "|* one\n* two|", "|one\ntwo|"],
  ["a quote of the line", "quote", "first\nsec|ond", "first\n> second|"],
])("%s", (_, what, before, after) => {
  const selected = read(before);
  expect(written(selected, format(what, selected))).toBe(after);
});

test.each([
  ["a list continues", "* one|", "* one\n* |"],
  ["numbers count", "9. nine|", "9. nine\n10. |"],
  ["a quote continues", "> said|", "> said\n> |"],
  ["an empty item ends the list", "* one\n* |", "* one\n|"],
])("%s on a new line", (_, before, after) => {
  const selected = read(before);
  const edit = lineBreak(selected);
  expect(edit && written(selected, edit)).toBe(after);
});

test("a new line in plain text is left to the browser", () => {
  expect(lineBreak(read("plain|"))).toBeUndefined();
});

test("a URL pasted over selected words turns them into a link", () => {
  const selected = read("see |the plan| now");
  const edit = pastedLink(selected, "https://x.com/plan");
  expect(edit && written(selected, edit)).toBe("see [the plan](https://x.com/plan)| now");
  expect(pastedLink(selected, "no address")).toBeUndefined();
});
