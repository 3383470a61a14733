/**
 * Marks: a finished piece is taken out of the text, and a mark takes its place until the HTML is written.
 *
 * A mark is three code units: U+0002 (an inline piece) or U+0003 (stored HTML), then the piece's number as two characters
 * of the private use area. **Invariant:** user text never contains U+0002 or U+0003, so a mark cannot be forged. To every
 * rule a mark is neither space nor word nor punctuation.
 */
import type { Element } from "./tree.ts";

export const inlineMark = "\u0002";
export const htmlMark = "\u0003";
export const markLength = 3;

const firstDigit = 0xe000;
const base = 0x1900;

export const withoutMarks = (text: string): string => text.replaceAll(inlineMark, "").replaceAll(htmlMark, "");

const toMark = (kind: string, number: number): string =>
  kind + String.fromCharCode(firstDigit + Math.floor(number / base), firstDigit + (number % base));

/** The number of the mark that begins at `index`. */
export const markNumber = (text: string, index: number): number =>
  (text.charCodeAt(index + 1) - firstDigit) * base + text.charCodeAt(index + 2) - firstDigit;

const markOfHtml = new RegExp(`${htmlMark}[^]{2}`, "g");

/** For places that cannot contain HTML. */
export const withoutHtmlMarks = (text: string): string =>
  text.includes(htmlMark) ? text.replaceAll(markOfHtml, "") : text;

/** HTML written by us, to be inserted at its mark. */
export class StoredHtml {
  readonly #pieces: string[] = [];

  add(html: string): string {
    return toMark(htmlMark, this.#pieces.push(html) - 1);
  }

  get(number: number): string {
    return this.#pieces[number] ?? "";
  }

  /** Replaces marks with the stored pieces. */
  restore(text: string): string {
    let mark = text.indexOf(htmlMark);
    if (mark === -1) return text;
    let restored = "";
    let done = 0;
    for (; mark !== -1; mark = text.indexOf(htmlMark, done)) {
      restored += text.slice(done, mark) + this.get(markNumber(text, mark));
      done = mark + markLength;
    }
    return restored + text.slice(done);
  }
}

const textOfElement = (element: Element): string =>
  element.text + element.children.map((child) => textOfElement(child) + child.tail).join("");

interface InlinePiece {
  /** An element, or text that no pattern may process again. */
  content: Element | string;
  /** The original text. */
  source: string;
}

/** The pieces that inline patterns have recognized so far. */
export class InlinePieces {
  readonly #pieces: InlinePiece[] = [];

  add(content: Element | string, source: string): string {
    return toMark(inlineMark, this.#pieces.push({ content, source }) - 1);
  }

  contentAt(text: string, index: number): Element | string {
    return this.#pieces[markNumber(text, index)]?.content ?? "";
  }

  /** The text as it was written, for places that cannot contain markup. */
  sourceOf(text: string): string {
    return this.#replaceMarks(text, ({ source }) => this.sourceOf(source));
  }

  /** The text without markup, as a reader would see it. */
  shownTextOf(text: string): string {
    return this.#replaceMarks(text, ({ content, source }) =>
      // A formula is stored as HTML, not as text.
      typeof content === "string" ? this.sourceOf(source) : this.shownTextOf(textOfElement(content)),
    );
  }

  #replaceMarks(text: string, toText: (piece: InlinePiece) => string): string {
    let mark = text.indexOf(inlineMark);
    if (mark === -1) return text;
    let replaced = "";
    let done = 0;
    for (; mark !== -1; mark = text.indexOf(inlineMark, done)) {
      const piece = this.#pieces[markNumber(text, mark)];
      replaced += text.slice(done, mark) + (piece === undefined ? "" : toText(piece));
      done = mark + markLength;
    }
    return replaced + text.slice(done);
  }
}
