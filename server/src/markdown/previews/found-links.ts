/** Finds the links of a tree with their context, in breadth-first order. */
import { withoutHtmlMarks } from "../marks.ts";
import type { Element } from "../tree.ts";

export interface FoundLink {
  link: Element;
  href: string;
  /** The visible text, including that of elements inside the link. */
  text: string;
  parent: Element;
  grandparent: Element | undefined;
  isQuoted: boolean;
}

interface Visited {
  element: Element;
  parent: Element | undefined;
  isQuoted: boolean;
}

const textOf = (element: Element): string =>
  element.text + element.children.map((child) => textOf(child) + child.tail).join("");

export function findLinks(root: Element): FoundLink[] {
  const found: FoundLink[] = [];
  const queue: Visited[] = [{ element: root, parent: undefined, isQuoted: false }];
  for (const { element, parent, isQuoted } of queue) {
    for (const child of element.children) {
      const href = child.tag === "a" ? child.attributes?.["href"] : undefined;
      if (href !== undefined)
        found.push({
          link: child,
          href,
          text: withoutHtmlMarks(textOf(child)),
          parent: element,
          grandparent: parent,
          isQuoted,
        });
      if (child.children.length > 0) {
        queue.push({ element: child, parent: element, isQuoted: isQuoted || child.tag === "blockquote" });
      }
    }
  }
  return found;
}
