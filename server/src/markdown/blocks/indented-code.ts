import { isBlank, trimEnd } from "../characters.ts";
import { Element } from "../tree.ts";
import type { BlockRule } from "./parser.ts";

const indent = "    ";

export const isCode = (element: Element | undefined): element is Element => element?.tag === "pre";

/** Lines that begin with four spaces. Two such blocks separated by a blank line are one. */
export const indentedCodeBlock: BlockRule = (_parser, parent, block) => {
  if (!block.startsWith(indent)) return undefined;
  const inside: string[] = [];
  let start = 0;
  // Line by line, because the rest of the block may be long and may reach this rule again for each of its lines.
  while (start <= block.length) {
    const newline = block.indexOf("\n", start);
    const end = newline === -1 ? block.length : newline;
    const line = block.slice(start, end);
    if (!line.startsWith(indent) && !isBlank(line)) break;
    inside.push(line.slice(indent.length));
    start = end + 1;
  }
  const code = trimEnd(inside.join("\n"));

  const previous = parent.lastChild;
  if (isCode(previous)) previous.text += `\n${code}\n`;
  else parent.append(new Element("pre", `${code}\n`, true));
  return block.slice(start);
};
