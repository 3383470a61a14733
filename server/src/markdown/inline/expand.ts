/** Expands a text with marks to text and elements with their tails. */
import { inlineMark, type InlinePieces, markLength } from "../marks.ts";
import type { Element } from "../tree.ts";

export interface Expanded {
  /** Before the first element. */
  text: string;
  elements: Element[];
}

/** The tails of the elements in a final text are final too. */
export function expandMarks(text: string, pieces: InlinePieces, isFinal = false): Expanded {
  const elements: Element[] = [];
  let before = "";
  const addText = (added: string): void => {
    const last = elements.at(-1);
    if (last === undefined) before += added;
    else last.tail += added;
  };
  let done = 0;
  for (let mark = text.indexOf(inlineMark); mark !== -1; mark = text.indexOf(inlineMark, done)) {
    if (mark > done) addText(text.slice(done, mark));
    done = mark + markLength;
    const content = pieces.contentAt(text, mark);
    if (typeof content === "string") {
      addText(content);
    } else {
      expandInside(content, pieces);
      content.isTailFinal = isFinal;
      elements.push(content);
    }
  }
  if (done < text.length) addText(text.slice(done));
  return { text: before, elements };
}

/** Expands the marks in an inline element and in its children. */
function expandInside(element: Element, pieces: InlinePieces): void {
  for (const child of element.children) expandInside(child, pieces);
  if (!element.text.includes(inlineMark)) return;
  const { text, elements } = expandMarks(element.text, pieces, element.isFinal);
  element.text = text;
  element.children.unshift(...elements);
}
