/**
 * What follows a link's text: `(url)`, `(<url> "title")`, `(url 'title')`.
 *
 * A URL may hold balanced parentheses. From the first quote on, a title is assumed until the parenthesis that follows
 * a closing quote directly. A second kind of quote gets its chance when the first is not the title's. If no title comes
 * out of it, the quotes belong to the URL and it ends where its parentheses first balanced.
 */
import { isSpaceAt, trim } from "../characters.ts";

export interface Destination {
  url: string;
  title: string | undefined;
  /** Behind the closing parenthesis. */
  end: number;
}

const inAngles = /<([^<>]*)>\s*(?:('[^']*'|"[^"]*")\s*)?\)/y;

interface Quote {
  character: string;
  start: number;
  /** Behind the last quote of the same kind. */
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

/** So many characters are read for all destinations of a text together; a text that needs more is made to be slow. */
const mostRead = 100_000;

/** Reads the destinations of one text, which changes as links are taken out of it. */
export class Destinations {
  #read = 0;

  findAt(text: string, index: number): Destination | undefined {
    if (this.#read > mostRead) return undefined;
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
  let last = "";
  for (let index = start; index < text.length; index++) {
    const character = text[index] ?? "";
    if (character === "'" || character === '"') {
      const quote = quotes.find((each) => each.character === character);
      if (quote !== undefined) quote.end = index + 1;
      else quotes.push({ character, start: index + 1, end: -1 });
    } else if (character === ")") {
      const title = quotes.find((each) => each.end !== -1 && each.character === last);
      if (title !== undefined) return destination(text, start, title.start - 1, index + 1, title);
      if (depth > 0 && --depth === 0) {
        if (quotes.length === 0) return destination(text, start, index, index + 1);
        balancedEnd = index;
      }
    } else if (character === "(") {
      // In what may be a title no parenthesis opens; one that stands there uses up a closing one instead.
      if (quotes.length === 0) depth++;
      else if (depth > 0) depth--;
    }
    if (character !== " ") last = character;
  }
  return balancedEnd === undefined ? undefined : destination(text, start, balancedEnd, balancedEnd + 1);
}
