/**
 * Text from outside, made into Markdown that says what it said and does nothing else. In the dialect a backslash escapes
 * next to nothing, so what would break a line's form is replaced by something that looks like it.
 */
import { truncate } from "../messages/content.ts";

const longestLine = 200;
const longestQuote = 3000;
const longestUrl = 2000;
const nothingVisible = "\u200b";

/** All but newline and tab; marks that turn the direction of writing; code points that are no characters. */
const hidden =
  // oxlint-disable-next-line no-control-regex -- these are what is to go
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Noncharacter_Code_Point}]/gu;

export const visible = (text: string): string => text.toWellFormed().replaceAll("\r\n", "\n").replaceAll(hidden, "");

/** One line of it. */
export function line(text: string, longest = longestLine): string {
  const words = visible(text.slice(0, longest * 20))
    .replaceAll(/\s+/g, " ")
    .trim();
  const cut = truncate(words, longest, "…").replaceAll("](", "] (");
  return isPaired(cut, "`") ? cut : cut.replaceAll("`", "'");
}

const isPaired = (text: string, sign: string): boolean => text.split(sign).length % 2 === 1;

export const code = (text: string): string => {
  const inside = line(text).replaceAll("`", "'");
  return inside === "" ? "" : `\`${inside}\``;
};

/** The text alone where the address is none a browser should follow. */
export function link(text: string, url: string | null | undefined): string {
  const shown = withPairedBrackets(line(text));
  const address = safeUrl(url);
  return address === undefined ? shown : `[${shown === "" ? "link" : shown}](${address})`;
}

/** Brackets of which one is missing would end the link's text elsewhere. */
function withPairedBrackets(text: string): string {
  let open = 0;
  for (const char of text) {
    if (char === "[") open++;
    else if (char === "]") open--;
    if (open < 0) break;
  }
  return open === 0 ? text : text.replaceAll("[", "(").replaceAll("]", ")");
}

function safeUrl(url: string | null | undefined): string | undefined {
  if (!url || url.length > longestUrl || !URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return undefined;
  return parsed.href.replaceAll(/[()*<>`[\]|\\]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** For a name that becomes part of an address. */
export const urlPart = (text: string): string => encodeURIComponent(text.toWellFormed());

/** A block that says: these are another's words. Empty for words that say nothing. */
export const quote = (text: string | null | undefined): string => fenced("quote", text ?? "", longestQuote);

export const codeBlock = (language: string, text: string, longest = longestQuote): string =>
  fenced(language, text, longest);

function fenced(tag: string, text: string, longest: number): string {
  const words = visible(text.slice(0, longest * 2)).trim();
  if (words === "") return "";
  const cut = truncate(words, longest, "…");
  const fence = "`".repeat(Math.max(3, longestRun(cut, "`") + 1));
  return `${fence} ${tag}\n${cut}\n${fence}`;
}

function longestRun(text: string, sign: string): number {
  let longest = 0;
  let run = 0;
  for (const char of text) {
    run = char === sign ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** Items of a list, and how many are left out. */
export const list = (items: string[], total = items.length): string =>
  [...items.map((item) => `* ${item}`), ...(total > items.length ? [`* … and ${total - items.length} more`] : [])].join(
    "\n",
  );

/** Blocks of a message, those that are empty left out. */
export const blocks = (...parts: string[]): string => parts.filter((part) => part !== "").join("\n\n");

/** A sentence, and whose words it brings: with a colon where there are any. */
export function saying(sentence: string, words: string | null | undefined): string {
  const quoted = quote(words);
  return quoted === "" ? `${sentence}.` : `${sentence}:\n\n${quoted}`;
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/**
 * The last step, over a whole message: nothing in it calls anybody, and none is a command. Characters that cannot be seen
 * go first, because the renderer drops some of them, and what stood around them could become a mention.
 */
export const harmless = (content: string): string =>
  visible(content)
    .replaceAll(/@(?=_?\*)/g, `@${nothingVisible}`)
    .replace(/^\s*(?=\/(?:me|poll|todo)\b)/, nothingVisible);
