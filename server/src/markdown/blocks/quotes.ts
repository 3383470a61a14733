/** Quotes: lines that begin with `>`, and every line of the block after the first of them. */
import { isBlank } from "../characters.ts";
import { Element } from "../tree.ts";
import type { BlockRule } from "./parser.ts";

/** Where the text after the `>` begins; `undefined` for a line that is not quoted. */
function quotedStart(line: string): number | undefined {
  let index = 0;
  while (index < 3 && line[index] === " ") index++;
  if (line[index] !== ">") return undefined;
  return line[index + 1] === " " ? index + 2 : index + 1;
}

const isEmptyQuote = (line: string): boolean => isBlank(line.slice(quotedStart(line) ?? 0));

/** A `>` indented by four or more spaces does not quote, but alone on its line it is still removed. */
const loneMarker = /^ {4,}>\s*$/;

/** The first quoted line, or -1 when nothing but empty quotes follows. */
function firstQuotedLine(lines: readonly string[]): number {
  const first = lines.findIndex((line) => quotedStart(line) !== undefined);
  return first !== -1 && lines.slice(first).every(isEmptyQuote) ? -1 : first;
}

function unquote(line: string): string {
  const start = quotedStart(line);
  if (start === undefined) return loneMarker.test(line) ? "" : line;
  const text = line.slice(start);
  return isBlank(text) ? "" : text;
}

export const quote: BlockRule = (parser, parent, block) => {
  if (!block.includes(">")) return undefined;
  const lines = block.split("\n");
  const first = firstQuotedLine(lines);
  if (first === -1 || !parser.mayQuote(lines.length - first)) return undefined;
  if (first > 0) parser.parseBlock(parent, lines.slice(0, first).join("\n"));
  const quoted = lines.slice(first).map((line) => unquote(parser.silenceMentions(line)));
  const element = parent.append(new Element("blockquote"));
  parser.inState("blockquote", () => parser.parseText(element, quoted.join("\n")));
  return "";
};
