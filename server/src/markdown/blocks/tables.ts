import { Element } from "../tree.ts";
import type { BlockRule } from "./parser.ts";
import { cellsOf, hasPipeAtEnd } from "./table-rows.ts";

const withoutOuterSpaces = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === " ") start++;
  while (end > start && text[end - 1] === " ") end--;
  return text.slice(start, end);
};

type Alignment = "left" | "center" | "right" | undefined;

function alignmentOf(cell: string): Alignment {
  const dashes = withoutOuterSpaces(cell);
  const left = dashes.startsWith(":");
  const right = dashes.endsWith(":");
  if (left && right) return "center";
  if (left) return "left";
  return right ? "right" : undefined;
}

const separatorCell = /^[|:\- ]*$/;
const hasBorderPipe = (row: string): boolean => row.startsWith("|") || hasPipeAtEnd(row);

function addRow(parent: Element, tag: "th" | "td", cells: readonly string[], columns: readonly Alignment[]): void {
  const row = parent.append(new Element("tr"));
  for (const [index, alignment] of columns.entries()) {
    const style = alignment === undefined ? undefined : { style: `text-align: ${alignment};` };
    row.append(new Element(tag, withoutOuterSpaces(cells[index] ?? ""), false, style));
  }
}

/** Whether all lines from `start` on pass. Checked one by one, because usually the first one fails. */
function everyLine(block: string, start: number, test: (line: string) => boolean): boolean {
  for (let from = start; from < block.length;) {
    const newline = block.indexOf("\n", from);
    const end = newline === -1 ? block.length : newline;
    if (!test(withoutOuterSpaces(block.slice(from, end)))) return false;
    from = end + 1;
  }
  return true;
}

/** A header row, a row of dashes, and any number of rows. It must be at the start of its block. */
export const table: BlockRule = (_parser, parent, block) => {
  const headerEnd = block.indexOf("\n");
  if (headerEnd === -1) return undefined;
  const header = withoutOuterSpaces(block.slice(0, headerEnd));
  if (!header.includes("|")) return undefined;
  const separatorNewline = block.indexOf("\n", headerEnd + 1);
  const separatorEnd = separatorNewline === -1 ? block.length : separatorNewline;
  const separator = withoutOuterSpaces(block.slice(headerEnd + 1, separatorEnd));
  if (!separatorCell.test(separator)) return undefined;

  const hasBorder = hasBorderPipe(header);
  const headerCells = cellsOf(header, hasBorder);
  const separatorCells = cellsOf(separator, hasBorder);
  if (separatorCells.length !== headerCells.length) return undefined;
  if (headerCells.length < 2 && !(hasBorder && everyLine(block, headerEnd + 1, hasBorderPipe))) return undefined;

  const columns = separatorCells.map(alignmentOf);
  const rows = separatorEnd === block.length ? [] : block.slice(separatorEnd + 1).split("\n");
  const element = parent.append(new Element("table"));
  addRow(element.append(new Element("thead")), "th", headerCells, columns);
  const body = element.append(new Element("tbody"));
  for (const row of rows) addRow(body, "td", cellsOf(withoutOuterSpaces(row), hasBorder), columns);
  if (rows.length === 0)
    addRow(
      body,
      "td",
      [],
      columns.map(() => undefined),
    );
  return "";
};
