/** The types and helpers that the inline patterns share. */
import type { MarkdownContext } from "../context.ts";
import type { Effects } from "../effects.ts";
import type { InlinePieces, StoredHtml } from "../marks.ts";
import type { Starred } from "../references.ts";
import type { ResolvableReferences } from "../resolve.ts";
import type { Element } from "../tree.ts";

export interface InlineRendering {
  readonly context: MarkdownContext;
  readonly effects: Effects;
  readonly pieces: InlinePieces;
  readonly html: StoredHtml;
  readonly references: ResolvableReferences;
}

/** Applies one pattern to the whole of a text and leaves marks where it matched. */
export type InlinePass = (text: string, rendering: InlineRendering) => string;

/** Builds a copy of a text in which some ranges are replaced. */
export class Replacer {
  readonly #text: string;
  #done = 0;
  #result = "";

  constructor(text: string) {
    this.#text = text;
  }

  replace(start: number, end: number, replacement: string): void {
    this.#result += this.#text.slice(this.#done, start) + replacement;
    this.#done = end;
  }

  get result(): string {
    return this.#done === 0 ? this.#text : this.#result + this.#text.slice(this.#done);
  }
}

/** A pass that replaces each reference it can resolve. */
export const referencePass =
  <T extends Starred>(
    findIn: (text: string) => Iterable<T>,
    toElement: (found: T, rendering: InlineRendering) => Element | undefined,
  ): InlinePass =>
  (text, rendering) => {
    const replacer = new Replacer(text);
    for (const found of findIn(text)) {
      const element = toElement(found, rendering);
      if (element === undefined) continue;
      replacer.replace(found.start, found.end, rendering.pieces.add(element, text.slice(found.start, found.end)));
    }
    return replacer.result;
  };
