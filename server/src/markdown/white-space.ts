/** Normalizes line ends, tabs and blank lines to the form that the block rules expect, with a blank line at the end. */
import { withoutMarks } from "./marks.ts";

const tabStop = 4;

function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let expanded = "";
  let column = 0;
  for (const character of line) {
    const width = character === "\t" ? tabStop - (column % tabStop) : 1;
    expanded += character === "\t" ? " ".repeat(width) : character;
    column += width;
  }
  return expanded;
}

export function normalizeLines(text: string): string {
  let normal = `${withoutMarks(text)}\n\n`;
  if (normal.includes("\r")) normal = normal.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  if (normal.includes("\t")) normal = normal.split("\n").map(expandTabs).join("\n");
  if (normal.includes("\n ")) normal = normal.replaceAll(/\n +(?=\n|$)/g, "\n");
  return normal;
}
