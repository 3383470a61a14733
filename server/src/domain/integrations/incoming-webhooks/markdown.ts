/**
 * Converts untrusted text into Markdown that shows the text and has no other effect. Our dialect has almost no backslash
 * escapes, so characters that would break the formatting are replaced by similar ones.
 */
import { truncate } from "../../base/truncate.ts";

const maxLineLength = 200;
const maxQuoteLength = 3000;
const maxUrlLength = 2000;
const nothingVisible = "\u200b";

/** Control characters except newline and tab, bidirectional marks, and noncharacters. */
const hidden =
  // oxlint-disable-next-line no-control-regex -- these are to be removed
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Noncharacter_Code_Point}]/gu;

export const visible = (text: string): string => text.toWellFormed().replaceAll("\r\n", "\n").replaceAll(hidden, "");

/** The text as a single line. */
export function line(text: string, maxLength = maxLineLength): string {
  const words = visible(text.slice(0, maxLength * 20))
    .replaceAll(/\s+/g, " ")
    .trim();
  const cut = truncate(words, maxLength, "…").replaceAll("](", "] (");
  return isPaired(cut, "`") ? cut : cut.replaceAll("`", "'");
}

const isPaired = (text: string, sign: string): boolean => text.split(sign).length % 2 === 1;

export const code = (text: string): string => {
  const inside = line(text).replaceAll("`", "'");
  return inside === "" ? "" : `\`${inside}\``;
};

/** Only the text if the URL is not safe to follow. */
export function link(text: string, url: string | null | undefined): string {
  const shown = withPairedBrackets(line(text));
  const address = safeUrl(url);
  return address === undefined ? shown : `[${shown === "" ? "link" : shown}](${address})`;
}

/** An unpaired bracket would end the link's text in the wrong place. */
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
  if (!url || url.length > maxUrlLength || !URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return undefined;
  return parsed.href.replaceAll(/[()*<>`[\]|\\]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Encodes a name as part of a URL. */
export const urlPart = (text: string): string => encodeURIComponent(text.toWellFormed());

/** A quote block; empty for blank text. */
export const quote = (text: string | null | undefined): string => fenced("quote", text ?? "", maxQuoteLength);

export const codeBlock = (language: string, text: string, maxLength = maxQuoteLength): string =>
  fenced(language, text, maxLength);

function fenced(tag: string, text: string, maxLength: number): string {
  const words = visible(text.slice(0, maxLength * 2)).trim();
  if (words === "") return "";
  const cut = truncate(words, maxLength, "…");
  const fence = "`".repeat(Math.max(3, longestRun(cut, "`") + 1));
  return `${fence} ${tag}\n${cut}\n${fence}`;
}

function longestRun(text: string, sign: string): number {
  let maxLength = 0;
  let run = 0;
  for (const char of text) {
    run = char === sign ? run + 1 : 0;
    maxLength = Math.max(maxLength, run);
  }
  return maxLength;
}

/** A bulleted list that mentions how many items are omitted. */
export const list = (items: string[], total = items.length): string =>
  [...items.map((item) => `* ${item}`), ...(total > items.length ? [`* … and ${total - items.length} more`] : [])].join(
    "\n",
  );

/** Joins the blocks of a message, omitting empty ones. */
export const blocks = (...parts: string[]): string => parts.filter((part) => part !== "").join("\n\n");

/** A sentence followed by quoted text, with a colon if there is any. */
export function withQuote(sentence: string, words: string | null | undefined): string {
  const quoted = quote(words);
  return quoted === "" ? `${sentence}.` : `${sentence}:\n\n${quoted}`;
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/**
 * The last step, for the whole message: it disables mentions and commands. Invisible characters are removed first, because
 * the renderer drops some of them, and the text around them could become a mention.
 */
export const harmless = (content: string): string =>
  visible(content)
    .replaceAll(/@(?=_?\*)/g, `@${nothingVisible}`)
    .replace(/^\s*(?=\/(?:me|poll|todo)\b)/, nothingVisible);
