/** Emoji by name, by emoticon, and as Unicode characters. */
import type { CustomEmoji } from "../context.ts";
import { emoticonPattern, emoticons, findUnicodeEmoji, nameToCode } from "../emoji.ts";
import { type Element, finalElement } from "../tree.ts";
import { type InlinePass, Replacer } from "./pattern.ts";

const spelled = (name: string): string => name.replaceAll("_", " ");

/** Cached, because they are the same for every use of a name and some messages are nothing but emoji. */
const attributesByName = new Map<string, Readonly<Record<string, string>>>();

function attributesOf(name: string, code: string): Readonly<Record<string, string>> {
  const known = attributesByName.get(name);
  if (known !== undefined) return known;
  const title = spelled(name);
  const attributes = { "aria-label": title, class: `emoji emoji-${code}`, role: "img", title };
  attributesByName.set(name, attributes);
  return attributes;
}

const unicodeSpan = (name: string, code: string): Element =>
  finalElement("span", `:${name}:`, attributesOf(name, code));

const image = (name: string, src: string): Element =>
  finalElement("img", "", { alt: `:${name}:`, class: "emoji", src, title: spelled(name) });

/** An emoji that every organization has, although it is not in Unicode. */
const extraEmoji: CustomEmoji = {
  name: "zulip",
  source_url: "/static/generated/emoji/images/emoji/unicode/zulip.png",
};

function emojiNamed(name: string, custom: readonly CustomEmoji[]): Element | undefined {
  const own = custom.find((emoji) => emoji.name === name) ?? (name === extraEmoji.name ? extraEmoji : undefined);
  if (own !== undefined) return image(name, own.source_url);
  const code = nameToCode.get(name);
  return code === undefined ? undefined : unicodeSpan(name, code);
}

const namePattern = /:([\p{L}\p{N}_+-]+):/gu;

export const namedEmoji: InlinePass = (text, { pieces, context: { realmEmoji = [] } }) =>
  text.replaceAll(namePattern, (typed, name: string) => pieces.add(emojiNamed(name, realmEmoji) ?? typed, typed));

export const emoticonEmoji: InlinePass = (text, { pieces, context: { translateEmoticons, realmEmoji = [] } }) => {
  if (translateEmoticons !== true) return text;
  return text.replaceAll(emoticonPattern, (typed) => {
    const name = emoticons.get(typed);
    return name === undefined ? typed : pieces.add(emojiNamed(name, realmEmoji) ?? typed, typed);
  });
};

export const unicodeEmoji: InlinePass = (text, { pieces }) => {
  const replacer = new Replacer(text);
  for (const { index, end, code, name } of findUnicodeEmoji(text)) {
    replacer.replace(index, end, pieces.add(unicodeSpan(name, code), text.slice(index, end)));
  }
  return replacer.result;
};
