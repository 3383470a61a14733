/** Mattermost's Markdown: to ours, and to plain text. Most of it is the same. */
import type { SourceText } from "../source.ts";
import { ourEmojiName } from "../text/emoji.ts";
import { cleanText, Marks } from "../text/marks.ts";
import { link } from "../text/styles.ts";
import type { MattermostLookup } from "./lookup.ts";

const fence = /^( {0,3})(`{3,}|~{3,}) *([^\n`]*)\n([^]*?)(?:\n {0,3}\2[`~]* *(?=\n|$)|$(?![^]))/gm;
const indentedCode = /(?<=^\n?|\n[ \t]*\n)(?: {4}|\t).*(?:\n(?: {4}|\t).*)*/g;
const codeSpans = /(`+)([^`\n]|[^`\n][^\n]*?[^`\n])\1(?!`)/g;
const images = /!\[([^\]\n]*)\]\(\s*([^\s)]+)[^)\n]*\)/g;
const links = /\[((?:[^[\]\n]|\[[^[\]\n]*\])+)\]\(\s*<?([^\s)<>]+)>?[^)\n]*\)/g;
const urls = /https?:\/\/[^\s<>"|]+/g;
const permalinks = /\/pl\/[a-z0-9]{26}(?![a-z0-9])/;
const escapes = /\\([!-/:-@[-`{-~])/g;
const mentions = /(?<![\w@.&/])@([a-z0-9][a-z0-9._-]*)/gi;
const channels = /(?<![\w~/])~([a-z0-9][a-z0-9_-]*)(?!~)/gi;
const emoji = /:([a-z0-9_+-]+):/g;
const strongUnderscores = /(?<![\p{L}\p{N}_])__([^\s_](?:[^\n]*?[^\s_])?)__(?![\p{L}\p{N}_])/gu;
const underscores = /(?<![\p{L}\p{N}_])_([^\s_](?:[^_\n]*[^\s_])?)_(?![\p{L}\p{N}_])/gu;
/** What means something in our Markdown only. */
const ourMentions = /[@#](?=_?\*)/g;
const ourTimes = /<(?=time:)/g;
const ourFormulas = /\${2,}/g;
const command = /^\/(?=(?:me|poll|todo)(?:\s|$))/;

const entityOf = (character: string): string => `&#${character.codePointAt(0) ?? 0};`;
const escapeAll = (found: string): string => found.replaceAll(/[^]/g, entityOf);

/** Blocks that are code there and something else here. */
const otherBlocks: ReadonlySet<string> = new Set(["quote", "quoted", "spoiler"]);
const formulas: ReadonlySet<string> = new Set(["latex", "tex", "math"]);

export interface MarkdownContext {
  team: string;
  lookup: MattermostLookup;
  /** Called for each link to a post: exports do not contain the ids of posts. */
  noteLinkToPost: () => void;
}

export function toMarkdown(given: string, context: MarkdownContext): SourceText {
  const marks = new Marks();
  return marks.expand(markdownWithMarks(given, marks, context));
}

/** The caller expands the marks. */
export function markdownWithMarks(given: string, marks: Marks, context: MarkdownContext): string {
  const { lookup, team, noteLinkToPost } = context;
  const text = cleanText(given).replace(command, () => marks.add("&#47;"));
  if (!/[^\p{L}\p{N}\s,.;!?'"()-]/u.test(text)) return text;
  return text
    .replaceAll(fence, (_found, indent: string, around: string, tag: string, code: string) =>
      marks.add(`${indent}${around}${ourTag(tag.trim())}\n${code}\n${indent}${around}`),
    )
    .replaceAll(indentedCode, (code) => marks.add(code))
    .replaceAll(codeSpans, (found) => marks.add(found))
    .replaceAll(images, (_found, alt: string, url: string) => marks.add(link(alt === "" ? url : alt, url)))
    .replaceAll(links, (_found, label: string, url: string) => {
      if (permalinks.test(url)) noteLinkToPost();
      return marks.add(link(withoutEmphasis(label), url));
    })
    .replaceAll(urls, (url) => {
      if (permalinks.test(url)) noteLinkToPost();
      return marks.add(url);
    })
    .replaceAll(escapes, (_found, character: string) => marks.add(entityOf(character)))
    .replaceAll(mentions, (found, name: string) => mentionOf(name, lookup, marks) ?? found)
    .replaceAll(channels, (found, name: string) => {
      const id = lookup.channelId(team, name.toLowerCase());
      return id === undefined ? found : marks.add({ kind: "channel", id });
    })
    .replaceAll(emoji, (found, name: string) => {
      const ours = lookup.isCustomEmoji(name) ? undefined : ourEmojiName(name);
      return ours === undefined ? found : marks.add(`:${ours}:`);
    })
    .replaceAll(strongUnderscores, "**$1**")
    .replaceAll(underscores, "*$1*")
    .replaceAll(ourMentions, entityOf)
    .replaceAll(ourTimes, "&lt;")
    .replaceAll(ourFormulas, escapeAll);
}

function ourTag(tag: string): string {
  const name = tag.toLowerCase();
  if (formulas.has(name)) return "math";
  return otherBlocks.has(name.split(" ")[0] ?? "") ? "" : tag;
}

/** A name may end in the punctuation that follows a mention. */
function mentionOf(given: string, lookup: MattermostLookup, marks: Marks): string | undefined {
  for (let name = given.toLowerCase(); name !== ""; name = name.slice(0, -1)) {
    const id = lookup.personId(name);
    if (id !== undefined) return marks.add({ kind: "person", id }) + given.slice(name.length);
    if (!/[._-]$/.test(name)) return undefined;
  }
  return undefined;
}

const withoutEmphasis = (text: string): string =>
  text
    .replaceAll(/\*+|~~/g, "")
    .replaceAll(/`/g, "")
    .replaceAll(strongUnderscores, "$1")
    .replaceAll(underscores, "$1");

const broadcasts: ReadonlySet<string> = new Set(["all", "here", "channel"]);
const lineMarks = /^ {0,3}(?:>\s?|#{1,6}\s+|[-*+]\s+(?:\[[ x]\]\s+)?)+/gm;

/** As it can be part of a topic's name. */
export function toPlain(text: string, { lookup, team }: Pick<MarkdownContext, "lookup" | "team">): string {
  return withoutEmphasis(
    text
      .replaceAll(images, "$1")
      .replaceAll(links, "$1")
      .replaceAll(urls, "")
      .replaceAll(mentions, (found, name: string) => {
        if (broadcasts.has(name.toLowerCase())) return "";
        const trimmed = name.replace(/[._-]+$/, "");
        const known = [name, trimmed].find((each) => lookup.personId(each.toLowerCase()) !== undefined);
        return known === undefined
          ? found.slice(1)
          : (lookup.personName(known.toLowerCase()) ?? "") + name.slice(known.length);
      })
      .replaceAll(channels, (found, name: string) => {
        const id = lookup.channelId(team, name.toLowerCase());
        return id === undefined ? found : `#${lookup.channelName(id) ?? name}`;
      })
      .replaceAll(emoji, (found, name: string) =>
        lookup.isCustomEmoji(name) || ourEmojiName(name) !== undefined ? "" : found,
      )
      .replaceAll(lineMarks, "")
      .replaceAll(/^(?:`{3,}|~{3,}).*$/gm, "")
      .replaceAll(escapes, "$1"),
  );
}
