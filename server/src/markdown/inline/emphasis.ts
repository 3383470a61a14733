/** Bold, italic, both, and strikethrough. Later patterns process the text inside. */
import { isSpaceAt } from "../characters.ts";
import { Element } from "../tree.ts";
import { type InlineRendering, Replacer } from "./pattern.ts";

/** Applies the later patterns to a text inside an element. */
export type ContinueWith = (text: string) => string;

type Wrap = (content: string, source: string) => string;

const starOrStop = /[*^\n]/g;

/**
 * Wraps text between runs of `count` stars that has no star, `^` or newline in it and no white space at its ends.
 *
 * After an inner match, the stars around it can match too (`*a *b* c*`), so pending openings are kept on a stack. Stars
 * that can neither open nor close discard all pending openings.
 */
function wrapStarred(text: string, count: number, wrap: Wrap): string {
  let done = "";
  let position = 0;
  /** The positions of pending openings in `done`. */
  let openings: number[] = [];
  const advance = (end: number): void => {
    done += text.slice(position, end);
    position = end;
  };
  starOrStop.lastIndex = 0;
  for (let found = starOrStop.exec(text); found !== null; found = starOrStop.exec(text)) {
    const start = found.index;
    advance(start);
    if (found[0] !== "*") {
      openings = [];
      continue;
    }
    let end = start + 1;
    while (text[end] === "*") end++;
    const opening = openings.at(-1);
    if (opening !== undefined && end - position >= count && !isSpaceAt(done, done.length - 1)) {
      openings.pop();
      const content = done.slice(opening + count);
      done = done.slice(0, opening) + wrap(content, done.slice(opening) + "*".repeat(count));
      position += count;
    }
    if (position < end) {
      const canOpen = end - position >= count && end < text.length && !isSpaceAt(text, end) && text[end] !== "^";
      if (!canOpen || end - position > count) openings = [];
      advance(canOpen ? end - count : end);
      if (canOpen) openings.push(done.length);
    }
    advance(end);
    starOrStop.lastIndex = end;
  }
  advance(text.length);
  return done;
}

export function strongEmphasis(text: string, { pieces }: InlineRendering, continueWith: ContinueWith): string {
  if (!text.includes("***")) return text;
  return wrapStarred(text, 3, (content, source) => {
    const outer = new Element("strong");
    outer.append(new Element("em", continueWith(content)));
    return pieces.add(outer, source);
  });
}

export function emphasis(text: string, { pieces }: InlineRendering, continueWith: ContinueWith): string {
  return wrapStarred(text, 1, (content, source) => pieces.add(new Element("em", continueWith(content)), source));
}

/** From one `**` to the next on the same line. */
export function strong(text: string, { pieces }: InlineRendering, continueWith: ContinueWith): string {
  const replacer = new Replacer(text);
  for (let start = text.indexOf("**"); start !== -1;) {
    const end = text.indexOf("**", start + 3);
    if (end === -1) break;
    const newline = text.indexOf("\n", start);
    if (newline !== -1 && newline < end) {
      start = text.indexOf("**", newline);
      continue;
    }
    const content = new Element("strong", continueWith(text.slice(start + 2, end)));
    replacer.replace(start, end + 2, pieces.add(content, text.slice(start, end + 2)));
    start = text.indexOf("**", end + 2);
  }
  return replacer.result;
}

const struck = /(?<!~)~~([^~\n]+)~~(?!~)/g;

export function strikethrough(text: string, { pieces }: InlineRendering, continueWith: ContinueWith): string {
  if (!text.includes("~~")) return text;
  return text.replaceAll(struck, (source, content: string) =>
    pieces.add(new Element("del", continueWith(content)), source),
  );
}
