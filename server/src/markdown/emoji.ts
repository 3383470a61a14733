/** The built-in emoji: their names and codes, the emoticons for some of them, and Unicode emoji in text. */
import { emojiNames, emoticonNames } from "./emoji-data.ts";

const linesOf = (data: string): string[] => data.trim().split("\n");

/** All names of each emoji by code, the canonical name first. */
export const codeToNames: ReadonlyMap<string, readonly string[]> = new Map(
  linesOf(emojiNames).map((line) => {
    const [code = "", ...names] = line.split(" ");
    return [code, names];
  }),
);

export const nameToCode: ReadonlyMap<string, string> = new Map(
  [...codeToNames].flatMap(([code, names]) => names.map((name): [string, string] => [name, code])),
);

export const codeToName: ReadonlyMap<string, string> = new Map(
  [...codeToNames].map(([code, [name = ""]]) => [code, name]),
);

/** Maps an emoticon to the name of its emoji. */
export const emoticons: ReadonlyMap<string, string> = new Map(
  linesOf(emoticonNames).map((line): [string, string] => {
    const [typed = "", name = ""] = line.split(" ");
    return [typed, name];
  }),
);

const beside = String.raw`,.;?!()\[\] "'\n\t`;
const anyEmoticon = [...emoticons.keys()].map((typed) => typed.replaceAll(/[()|]/g, String.raw`\$&`)).join("|");

/** Matches every emoticon in a text that stands by itself. */
export const emoticonPattern = new RegExp(`(?<![^${beside}])(?:${anyEmoticon})(?![^${beside}])`, "g");

/** One emoji in Unicode's grammar, before several are joined into a sequence. */
const element = String.raw`\p{Emoji}(?:\p{Emoji_Modifier}|\uFE0F\u20E3?|[\u{E0020}-\u{E007E}]+\u{E007F})?`;
const sequence = new RegExp(String.raw`\p{RI}\p{RI}|${element}(?:\u200D${element})*`, "gu");
/** Digits, arrows, ©: text by default, and emoji only with a variation selector. */
const textByDefault = /^\P{Emoji_Presentation}\u20E3?$/u;
// No emoji is pure ASCII, and most texts are.
const beyondAscii = /[^\0-\x7F]/;

export interface UnicodeEmoji {
  index: number;
  end: number;
  code: string;
  /** Canonical. */
  name: string;
}

/** The named Unicode emoji of a text, in order. A sequence without a name (such as one with a skin tone) is left whole. */
export function findUnicodeEmoji(text: string): UnicodeEmoji[] {
  if (!beyondAscii.test(text)) return [];
  const found: UnicodeEmoji[] = [];
  for (const { 0: characters, index } of text.matchAll(sequence)) {
    if (textByDefault.test(characters)) continue;
    const code = toEmojiCode(characters);
    const name = codeToName.get(code);
    if (name !== undefined) found.push({ index, end: index + characters.length, code, name });
  }
  return found;
}

/** The code of an emoji: its characters in hexadecimal, without variation selectors. */
export const toEmojiCode = (characters: string): string =>
  Array.from(characters.replaceAll("\uFE0F", ""), (character) =>
    (character.codePointAt(0) ?? 0).toString(16).padStart(4, "0"),
  ).join("-");

/** The characters a code stands for. */
export const fromEmojiCode = (code: string): string =>
  String.fromCodePoint(...code.split("-").map((part) => Number.parseInt(part, 16)));
