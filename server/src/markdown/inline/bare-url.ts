/**
 * Recognizes URLs, domains, e-mail addresses and bitcoin addresses in running text without any markup.
 *
 * A URL ends before white space and excludes closing punctuation. Each kind is recognized in one pass over its
 * characters, without backtracking, so that no text can make it slow.
 */
import { isSpaceAt, isWordAt } from "../characters.ts";
import { topLevelDomains } from "../tlds.ts";

export interface BareUrl {
  start: number;
  end: number;
}

const domains: ReadonlySet<string> = new Set(topLevelDomains.trim().split("\n"));
const punctuation: ReadonlySet<string> = new Set(`!:;?),.'">`);
const deepestParentheses = 7;

/** A run of characters without white space, to be searched for URLs. */
interface Word {
  end: number;
  /** Only closing punctuation follows from here on: a URL may end here or later. */
  tail: number;
  /** How many more characters of paths may be read. A word whose paths fail again and again is an attack. */
  unread: number;
}

const maxRead = 30_000;

function wordAt(text: string, start: number): Word {
  let end = start;
  while (end < text.length && !isSpaceAt(text, end)) end++;
  let tail = end;
  while (tail > start && punctuation.has(text.charAt(tail - 1))) tail--;
  return { end, tail, unread: maxRead };
}

/** The earliest possible end of a path that begins at `start`, with balanced parentheses. */
function pathEnd(text: string, start: number, word: Word): number | undefined {
  const { end, tail } = word;
  let depth = 0;
  for (let index = start; index <= end && word.unread > 0; index++) {
    if (depth === 0 && index >= tail) return index;
    const character = text[index];
    if (character === '"') return undefined;
    if (character === "(" && ++depth > deepestParentheses) return undefined;
    if (character === ")" && --depth < 0) return undefined;
    word.unread--;
  }
  return undefined;
}

/** The end of a URL whose host ends at `hostEnd`. */
function endAfterHost(text: string, hostEnd: number, word: Word): number | undefined {
  if (text[hostEnd] === "/") return pathEnd(text, hostEnd + 1, word);
  if (hostEnd >= word.tail) return hostEnd;
  return text[hostEnd] === "?" ? pathEnd(text, hostEnd + 1, word) : undefined;
}

const hostPunctuation: ReadonlySet<string> = new Set(".:@-");

function endOfHttp(text: string, start: number, word: Word): number | undefined {
  if (!text.startsWith("http", start)) return undefined;
  const separator = text[start + 4] === "s" ? start + 5 : start + 4;
  if (!text.startsWith("://", separator)) return undefined;
  const host = separator + 3;
  let end = host;
  while (end < word.end && (isWordAt(text, end) || hostPunctuation.has(text.charAt(end)))) end++;
  if (end === host) return undefined;
  return end >= word.tail ? Math.max(word.tail, host + 1) : endAfterHost(text, end, word);
}

/** The end of the run of letters, digits, `_`, `-` and `.` at `start`. */
function endOfLabels(text: string, start: number, word: Word): number {
  let end = start;
  while (end < word.end && (isWordAt(text, end) || text[end] === "-" || text[end] === ".")) end++;
  return end;
}

/** The start and end of the last label before trailing dots. */
function lastLabel(text: string, start: number, end: number): { start: number; end: number } | undefined {
  let labelEnd = end;
  while (labelEnd > start && text[labelEnd - 1] === ".") labelEnd--;
  const dot = text.slice(start, labelEnd).lastIndexOf(".");
  return dot === -1 ? undefined : { start: start + dot + 1, end: labelEnd };
}

function endOfDomain(text: string, start: number, labelsEnd: number, word: Word): number | undefined {
  const label = lastLabel(text, start, labelsEnd);
  if (label === undefined || text[start] === ".") return undefined;
  if (!domains.has(text.slice(label.start, label.end))) return undefined;
  if (text.slice(start, label.start).includes("..")) return undefined;
  return endAfterHost(text, label.end, word);
}

function endOfEmail(text: string, start: number, localEnd: number, word: Word): number | undefined {
  if (text[localEnd] !== "@" || localEnd === start) return undefined;
  const domain = localEnd + 1;
  const label = lastLabel(text, domain, endOfLabels(text, domain, word));
  if (label === undefined || label.start - 1 <= domain || !isWordAt(text, label.start)) return undefined;
  let end = label.start;
  while (end < label.end && isWordAt(text, end)) end++;
  return end >= word.tail ? end : undefined;
}

const bitcoin = /bitcoin:[13][a-km-zA-HJ-NP-Z1-9]{25,34}/y;

function endOfBitcoin(text: string, start: number, word: Word): number | undefined {
  if (!text.startsWith("bitcoin:", start)) return undefined;
  bitcoin.lastIndex = start;
  return bitcoin.test(text) && bitcoin.lastIndex >= word.tail ? bitcoin.lastIndex : undefined;
}

function endOfFile(text: string, start: number): number | undefined {
  if (!text.startsWith("file:///", start)) return undefined;
  const space = text.indexOf(" ", start);
  return space === -1 ? text.length : space;
}

function endOfUrl(text: string, start: number, word: Word, withFiles: boolean): number | undefined {
  const labelsEnd = endOfLabels(text, start, word);
  return (
    endOfHttp(text, start, word) ??
    endOfDomain(text, start, labelsEnd, word) ??
    endOfEmail(text, start, labelsEnd, word) ??
    (withFiles ? endOfFile(text, start) : undefined) ??
    endOfBitcoin(text, start, word)
  );
}

/** A text that contains none of these has no URL. */
export const mayContainUrl = /:\/\/|\.[a-z0-9]|@|bitcoin:/;
/** Besides at the start of a word, a URL may begin after one of these. */
const mayPrecedeUrl: ReadonlySet<string> = new Set(`'"(,:<`);

/** The first URL that begins inside a word. */
function findInWord(text: string, start: number, word: Word, withFiles: boolean): BareUrl | undefined {
  let candidate = start;
  while (candidate < word.end) {
    const end = endOfUrl(text, candidate, word, withFiles);
    if (end !== undefined && end > candidate) return { start: candidate, end };
    while (candidate < word.end && !mayPrecedeUrl.has(text.charAt(candidate))) candidate++;
    candidate++;
  }
  return undefined;
}

/** The bare URLs of a text, in order. */
export function* bareUrlsIn(text: string, withFiles = false): Generator<BareUrl> {
  let index = 0;
  while (index < text.length) {
    if (isSpaceAt(text, index)) {
      index++;
      continue;
    }
    const word = wordAt(text, index);
    const mayHold = mayContainUrl.test(text.slice(index, word.end));
    const found = mayHold ? findInWord(text, index, word, withFiles) : undefined;
    if (found !== undefined) yield found;
    index = Math.max(word.end, found?.end ?? 0);
  }
}
