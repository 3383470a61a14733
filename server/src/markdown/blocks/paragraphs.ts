import { isBlank, trimStart } from "../characters.ts";
import { Element } from "../tree.ts";
import type { BlockParser } from "./parser.ts";

/** Handles blocks that no rule applies to: directly in a list item it is the item's text, elsewhere a paragraph. */
export function paragraph(parser: BlockParser, parent: Element, block: string): string {
  if (isBlank(block)) return "";
  if (parser.state !== "list") parent.append(new Element("p", trimStart(block)));
  else appendText(parent, block);
  return "";
}

function appendText(item: Element, block: string): void {
  const previous = item.lastChild;
  if (previous !== undefined) previous.tail += `\n${block}`;
  else item.text = item.text === "" ? trimStart(block) : `${item.text}\n${trimStart(block)}`;
}
