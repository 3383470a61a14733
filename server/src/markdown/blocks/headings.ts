import { isSpaceAt, trim } from "../characters.ts";
import { Element } from "../tree.ts";
import type { BlockRule } from "./parser.ts";

const maxLevel = 6;

interface HeadingMatch {
  start: number;
  level: number;
  text: string;
  end: number;
}

/** The text of a heading cannot end in a backslash, unless that backslash is itself escaped. */
function endsInBackslash(line: string): boolean {
  let count = 0;
  while (line[line.length - 1 - count] === "\\") count++;
  return count % 2 === 1;
}

function headingAt(block: string, start: number): HeadingMatch | undefined {
  let level = 0;
  while (level < maxLevel && block[start + level] === "#") level++;
  const textStart = start + level + 1;
  if (level === 0 || !isSpaceAt(block, textStart - 1)) return undefined;
  const newline = block.indexOf("\n", textStart);
  const end = newline === -1 ? block.length : newline;
  let textEnd = end;
  while (textEnd > textStart && block[textEnd - 1] === "#") textEnd--;
  const text = block.slice(textStart, textEnd);
  if (endsInBackslash(text)) return undefined;
  return { start, level, text: trim(text), end };
}

function findHeading(block: string): HeadingMatch | undefined {
  // Searching for one character is much faster than for two.
  if (!block.includes("#")) return undefined;
  if (block.startsWith("#")) {
    const found = headingAt(block, 0);
    if (found !== undefined) return found;
  }
  for (let newline = block.indexOf("\n#"); newline !== -1; newline = block.indexOf("\n#", newline + 1)) {
    const found = headingAt(block, newline + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `# text`, on any line of a block. */
export const heading: BlockRule = (parser, parent, block) => {
  const found = findHeading(block);
  if (found === undefined) return undefined;
  if (found.start > 0) parser.parseBlock(parent, block.slice(0, found.start - 1));
  parent.append(new Element(`h${found.level}`, found.text));
  return block.slice(found.end + 1);
};
