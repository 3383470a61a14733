import type { BlockRule } from "./parser.ts";
import { isCode } from "./indented-code.ts";

/** An empty block, or a leading newline. Indented code keeps its inner blank lines. */
export const emptyBlock: BlockRule = (_parser, parent, block) => {
  if (block !== "" && !block.startsWith("\n")) return undefined;
  const previous = parent.lastChild;
  if (isCode(previous)) previous.text += block === "" ? "\n\n" : "\n";
  return block.slice(1);
};
