/**
 * HTML templates. Every value inserted into a template is escaped unless it is `Html` itself, so that escaping cannot be
 * forgotten.
 */
import { escapeHtml } from "@skein/api/page-frame.ts";

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Insertion = string | number | Html | readonly Html[] | undefined;

export const markup = (texts: TemplateStringsArray, ...insertions: Insertion[]): Html =>
  new Html(texts.reduce((before, text, index) => before + toHtml(insertions[index - 1]) + text));

/** `undefined` inserts nothing. */
function toHtml(insertion: Insertion): string {
  if (insertion === undefined) return "";
  if (insertion instanceof Html) return insertion.text;
  return typeof insertion === "object" ? insertion.join("\n") : escapeHtml(String(insertion));
}
