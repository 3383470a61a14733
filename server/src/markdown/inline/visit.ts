/**
 * Walks the tree of blocks and processes every text in it.
 *
 * The elements that the patterns find in an element's text become its children only after its parent has been processed.
 * So an inline element directly in a block is not visited itself, but its children are: all patterns are applied to their
 * text once more. That is why `***#123***` becomes a link while `**#123**` does not.
 */
import type { Element } from "../tree.ts";
import { expandMarks } from "./expand.ts";
import { applyPatterns } from "./passes.ts";
import type { InlineRendering } from "./pattern.ts";

export function processInline(root: Element, rendering: InlineRendering): void {
  const pending: Element[] = [root];
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop())
    visitChildren(parent, pending, rendering);
}

function visitChildren(parent: Element, pending: Element[], rendering: InlineRendering): void {
  const additions: { child: Element; elements: Element[] }[] = [];
  // The elements found in a child's tail become further children, which this loop visits too.
  for (let index = 0; index < parent.children.length; index++) {
    const child = parent.children[index];
    if (child === undefined) break;
    const hadChildren = child.children.length > 0;
    if (child.text !== "" && !child.isFinal) {
      const { text, elements } = expandMarks(applyPatterns(child.text, rendering), rendering.pieces);
      child.text = text;
      if (elements.length > 0) additions.push({ child, elements });
      for (const element of elements) if (element.children.length > 0) pending.push(element);
    }
    if (child.tail !== "" && !child.isTailFinal) {
      const { text, elements } = expandMarks(applyPatterns(child.tail, rendering), rendering.pieces);
      child.tail = text;
      if (elements.length > 0) parent.children.splice(index + 1, 0, ...elements);
    }
    if (hadChildren) pending.push(child);
  }
  for (const { child, elements } of additions) child.children = [...elements, ...child.children];
}
