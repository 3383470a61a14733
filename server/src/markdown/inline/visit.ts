/**
 * Walks the tree of blocks and processes every text in it.
 *
 * What the patterns make of an element's text becomes its children only after its parent has been dealt with. So an
 * inline element that stands in a block directly is not visited itself, but its children are: their text meets all
 * patterns once more. That is how `***#123***` gets its link while `**#123**` does not.
 */
import type { Element } from "../tree.ts";
import { expandMarks } from "./expand.ts";
import { applyPatterns } from "./passes.ts";
import type { InlineRendering } from "./pattern.ts";

export function processInline(root: Element, rendering: InlineRendering): void {
  const waiting: Element[] = [root];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop())
    visitChildren(parent, waiting, rendering);
}

function visitChildren(parent: Element, waiting: Element[], rendering: InlineRendering): void {
  const additions: { child: Element; elements: Element[] }[] = [];
  // What a text behind a child turns into are further children, visited in the same round.
  for (let index = 0; index < parent.children.length; index++) {
    const child = parent.children[index];
    if (child === undefined) break;
    const hadChildren = child.children.length > 0;
    if (child.text !== "" && !child.isFinal) {
      const { text, elements } = expandMarks(applyPatterns(child.text, rendering), rendering.pieces);
      child.text = text;
      if (elements.length > 0) additions.push({ child, elements });
      for (const element of elements) if (element.children.length > 0) waiting.push(element);
    }
    if (child.tail !== "" && !child.isTailFinal) {
      const { text, elements } = expandMarks(applyPatterns(child.tail, rendering), rendering.pieces);
      child.tail = text;
      if (elements.length > 0) parent.children.splice(index + 1, 0, ...elements);
    }
    if (hadChildren) waiting.push(child);
  }
  for (const { child, elements } of additions) child.children = [...elements, ...child.children];
}
