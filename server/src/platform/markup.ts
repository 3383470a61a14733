/**
 * HTML out of text. A template is the only way to make `Html`: whatever is put into it is escaped unless it is `Html`
 * itself, so that forgetting to escape is not possible.
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

/** Nothing at all stands for something that is left out. */
function toHtml(insertion: Insertion): string {
  if (insertion === undefined) return "";
  if (insertion instanceof Html) return insertion.text;
  return typeof insertion === "object" ? insertion.join("\n") : escapeHtml(String(insertion));
}
