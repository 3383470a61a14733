/** A block that is indented below a list belongs to one of its items; the indent determines the level. */
import { Element, isList } from "../tree.ts";
import { itemIndent, makeLoose } from "./lists.ts";
import type { BlockParser, BlockRule } from "./parser.ts";

const leadingSpaces = /^ */;

const isItem = (element: Element): boolean => element.tag === "li";

/** Walks down last children as far as the indent reaches. */
function findParent(parser: BlockParser, parent: Element, block: string): { level: number; found: Element } {
  const depth = Math.floor((leadingSpaces.exec(block)?.[0].length ?? 0) / itemIndent.length);
  let level = parser.state === "list" ? 1 : 0;
  let found = parent;
  while (depth > level) {
    const child = found.lastChild;
    if (child === undefined || !(isList(child) || isItem(child))) break;
    if (isList(child)) level++;
    found = child;
  }
  return { level, found };
}

function unindent(block: string, level: number): string {
  const indent = itemIndent.repeat(level);
  return block
    .split("\n")
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join("\n");
}

function parseInto(parser: BlockParser, parent: Element, found: Element, block: string): void {
  if (isItem(parent)) {
    const last = parent.lastChild;
    parser.parseBlock(isList(last) ? last : parent, block);
  } else if (isItem(found)) {
    parser.parseBlock(found, block);
  } else if (found.lastChild !== undefined && isItem(found.lastChild)) {
    makeLoose(found.lastChild);
    parser.parseText(found.lastChild, block);
  } else {
    parser.parseBlock(found.append(new Element("li")), block);
  }
}

export const indentedUnderList: BlockRule = (parser, parent, block) => {
  if (!block.startsWith(itemIndent) || parser.state === "detabbed") return undefined;
  if (!isItem(parent) && !isList(parent.lastChild)) return undefined;
  const { level, found } = findParent(parser, parent, block);
  const unindented = unindent(block, level);
  parser.inState("detabbed", () => parseInto(parser, parent, found, unindented));
  return "";
};
