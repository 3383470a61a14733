/**
 * Parses what follows a link's text: `(url)`, `(<url> "title")`, `(url 'title')`.
 *
 * A URL may contain balanced parentheses. From the first quote on, a title is assumed, up to a parenthesis directly after
 * a closing quote. If the first kind of quote does not close the title, the second kind is tried. If there is no title
 * after all, the quotes belong to the URL, which ends where its parentheses first balanced.
 */
import { isSpaceAt, trim } from "../characters.ts";

export interface Destination {
  url: string;
  title: string | undefined;
  /** After the closing parenthesis. */
  end: number;
}

const inAngles = /<([^<>]*)>\s*(?:('[^']*'|"[^"]*")\s*)?\)/y;

interface Quote {
  character: string;
  start: number;
  /** After the last quote of the same kind. */
  end: number;
}

const cleanTitle = (title: string): string => trim(withoutOuterQuotes(trim(title)).replaceAll(/\s/g, " "));

/** A title may be quoted twice. */
function withoutOuterQuotes(text: string): string {
  const first = text[0];
  const isQuoted = text.length > 1 && (first === '"' || first === "'") && text.endsWith(first);
  return isQuoted ? text.slice(1, -1) : text;
}

function destination(text: string, start: number, urlEnd: number, end: number, title?: Quote): Destination {
  return {
    url: trim(text.slice(start, urlEnd)),
    title: title && cleanTitle(text.slice(title.start, title.end - 1)),
    end,
  };
}

/** How many characters may be read for all destinations of a text together. A text that needs more is an attack. */
const maxRead = 100_000;

/** Parses the destinations of one text, which changes as links are taken out of it. */
export class Destinations {
  #read = 0;

  findAt(text: string, index: number): Destination | undefined {
    if (this.#read > maxRead) return undefined;
    const found = destinationAt(text, index);
    this.#read += (found?.end ?? text.length) - index;
    return found;
  }
}

function destinationAt(text: string, index: number): Destination | undefined {
  if (text[index] !== "(") return undefined;
  let start = index + 1;
  while (isSpaceAt(text, start)) start++;
  inAngles.lastIndex = start;
  const angled = text[start] === "<" ? inAngles.exec(text) : null;
  if (angled !== null) {
    const title = angled[2]?.slice(1, -1);
    return {
      url: trim(angled[1] ?? ""),
      title: title === undefined ? undefined : cleanTitle(title),
      end: inAngles.lastIndex,
    };
  }
  return destinationFrom(text, start);
}

function destinationFrom(text: string, start: number): Destination | undefined {
  const quotes: Quote[] = [];
  let depth = 1;
  let balancedEnd: number | undefined;
  for (let index = start; index < text.length; index++) {
    // Most characters are skipped by this comparison alone; it may read many of them.
    if (text.charCodeAt(index) > closingParenthesis) continue;
    const character = text[index] ?? "";
    if (character === "'" || character === '"') {
      const quote = quotes.find((each) => each.character === character);
      if (quote !== undefined) quote.end = index + 1;
      else quotes.push({ character, start: index + 1, end: -1 });
    } else if (character === ")") {
      const last = quotes.length === 0 ? "" : lastBefore(text, start, index);
      const title = quotes.find((each) => each.end !== -1 && each.character === last);
      if (title !== undefined) return destination(text, start, title.start - 1, index + 1, title);
      if (depth > 0 && --depth === 0) {
        if (quotes.length === 0) return destination(text, start, index, index + 1);
        balancedEnd = index;
      }
    } else if (character === "(") {
      // In a possible title no parenthesis opens; instead, one found there cancels a closing one.
      if (quotes.length === 0) depth++;
      else if (depth > 0) depth--;
    }
  }
  return balancedEnd === undefined ? undefined : destination(text, start, balancedEnd, balancedEnd + 1);
}

/** Quotes and parentheses are among the characters up to this one. */
const closingParenthesis = ")".charCodeAt(0);

/** The last character between `start` and `end` that is not a space. */
function lastBefore(text: string, start: number, end: number): string {
  let index = end - 1;
  while (index >= start && text[index] === " ") index--;
  return index < start ? "" : (text[index] ?? "");
}
