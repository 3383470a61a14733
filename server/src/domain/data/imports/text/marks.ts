/**
 * Marks: a finished piece of Markdown, or a reference, is taken out of a text, and a mark takes its place until the rest of
 * the text is converted. To every rule a mark is neither space nor word nor punctuation.
 */
import type { SourceReference, SourceText } from "../source.ts";

/** A noncharacter. **Invariant:** `cleanText` removes it from every text, so that marks cannot be forged. */
const edge = "\ufdd0";
const firstDigit = 0xe000;
const base = 0x1000;

export const markPattern = `${edge}[^]{2}${edge}`;
const anyMark = new RegExp(`${edge}([^])([^])${edge}`, "g");

/** Control characters except tab and line breaks, and noncharacters. */
const unwanted = /(?![\t\n\r])\p{Cc}|\p{Noncharacter_Code_Point}/gu;
const mayBeUnwanted = /(?![\t\n ])[^!-~]/;

/** What a source calls text, without what cannot be stored. */
export function cleanText(text: string): string {
  if (!mayBeUnwanted.test(text)) return text;
  return text.replaceAll(unwanted, "").replaceAll(/\r\n?/g, "\n").toWellFormed();
}

export interface Url {
  url: string;
}

export class Marks {
  readonly #pieces: (string | SourceReference | Url)[] = [];

  /** Markdown, a reference, or a URL that shows itself. */
  add(piece: string | SourceReference | Url): string {
    const number = this.#pieces.push(piece) - 1;
    return edge + String.fromCharCode(firstDigit + Math.floor(number / base), firstDigit + (number % base)) + edge;
  }

  /** Replaces all marks by what they stand for. A piece may contain marks of earlier pieces. */
  expand(text: string): SourceText {
    if (this.#pieces.length === 0) return text === "" ? [] : [text];
    const parts: (string | SourceReference)[] = [];
    this.#expandInto(parts, text, "", "");
    return parts;
  }

  #expandInto(parts: (string | SourceReference)[], text: string, before: string, after: string): void {
    const addText = (added: string): void => {
      if (added === "") return;
      const last = parts.at(-1);
      if (typeof last === "string") parts[parts.length - 1] = last + added;
      else parts.push(added);
    };
    let done = 0;
    for (const { 0: mark, 1: high = "", 2: low = "", index } of text.matchAll(anyMark)) {
      addText(text.slice(done, index));
      done = index + mark.length;
      const piece = this.#pieces[(high.charCodeAt(0) - firstDigit) * base + low.charCodeAt(0) - firstDigit];
      if (typeof piece === "string")
        if (piece.includes(edge)) this.#expandInto(parts, piece, text[index - 1] ?? before, text[done] ?? after);
        else addText(piece);
      else if (piece !== undefined && "url" in piece)
        addText(showUrl(piece.url, text[index - 1] ?? before, text[done] ?? after));
      else if (piece !== undefined) parts.push(piece);
    }
    addText(text.slice(done));
  }
}

const endsUrl = /[\s,;!?)\]'"]|^$/;
const beginsUrl = /[\s(['"]|^$/;
const simpleUrl = /^https?:\/\/[^\s<>()[\]*~`"'|^]+[\w/=#-]$/;

/** As it is where our Markdown makes a link of exactly this, else as a link. */
const showUrl = (url: string, before: string, after: string): string =>
  simpleUrl.test(url) && beginsUrl.test(before) && endsUrl.test(after) ? url : `[${url}](${linkDestination(url)})`;

/** A URL as the destination of a link. */
export const linkDestination = (url: string): string =>
  url
    .replaceAll(/[\s()<>"\\]/g, (character) => encodeURIComponent(character).replace("(", "%28").replace(")", "%29"))
    .replaceAll(/&(?=(?:#\d+|#x[\da-f]+|[\da-z]+);)/gi, "&amp;");

const linkableScheme = /^(?:https?|ftp|mailto|tel|ssh|xmpp|webcal):/i;

/** Whether our Markdown makes a link of it. */
export const isLinkable = (url: string): boolean => linkableScheme.test(url);
