import { Element } from "../tree.ts";
import type { BlockRule } from "./parser.ts";

const rulePattern = /^ {0,3}(?:(?:- {0,2}){3,}|(?:_ {0,2}){3,}|(?:\* {0,2}){3,}) *$/;
const ruleCharacters: ReadonlySet<string> = new Set("-_*");

/** A rule begins with one of these characters, after at most three spaces. */
function mayBeRule(block: string, start: number): boolean {
  let index = start;
  while (index < start + 3 && block[index] === " ") index++;
  return ruleCharacters.has(block.charAt(index));
}

/** The start and end of the first rule of a block. */
function findRule(block: string): { start: number; end: number } | undefined {
  for (let start = 0; start < block.length;) {
    const newline = block.indexOf("\n", start);
    const end = newline === -1 ? block.length : newline;
    if (mayBeRule(block, start) && rulePattern.test(block.slice(start, end))) return { start, end };
    start = end + 1;
  }
  return undefined;
}

/** A line of three or more `-`, `_` or `*`, on any line of a block. */
export const rule: BlockRule = (parser, parent, block) => {
  const found = findRule(block);
  if (found === undefined) return undefined;
  const before = block.slice(0, found.start).replace(/\n+$/, "");
  if (before !== "") parser.parseBlock(parent, before);
  parent.append(new Element("hr"));
  return block.slice(found.end).replace(/^\n+/, "");
};
