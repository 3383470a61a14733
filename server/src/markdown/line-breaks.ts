/** Puts line breaks between block elements to keep the HTML readable. Clients and tests rely on each of them. */
import { isBlank } from "./characters.ts";
import { type Element, isBlockTag } from "./tree.ts";

export function addLineBreaks(root: Element): void {
  breakBlocks(root);
  breakAfterBr(root);
}

function breakBlocks(element: Element): void {
  const [first] = element.children;
  if (element.tag !== "pre") {
    if (first !== undefined && isBlockTag(first.tag) && isBlank(element.text)) element.text = "\n";
    for (const child of element.children) if (isBlockTag(child.tag)) breakBlocks(child);
  }
  if (isBlank(element.tail)) element.tail = "\n";
}

function breakAfterBr(element: Element): void {
  for (const child of element.children) {
    if (child.tag === "br") child.tail = isBlank(child.tail) ? "\n" : `\n${child.tail}`;
    else if (child.children.length > 0) breakAfterBr(child);
  }
}
