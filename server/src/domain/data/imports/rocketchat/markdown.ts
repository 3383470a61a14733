/** Rocket.Chat's markup: to our Markdown, and to plain text. */
import type { SourceId } from "../source.ts";
import { ourEmojiName } from "../text/emoji.ts";
import { cleanText, type Marks } from "../text/marks.ts";
import { codeBlock, codeSpan, link } from "../text/styles.ts";

export interface RocketLookup {
  personId: (username: string) => SourceId | undefined;
  personName: (username: string) => string | undefined;
  /** Of a channel that is imported. */
  channelId: (name: string) => SourceId | undefined;
}

const fenced = /```(?:[\w+#-]*\n)?([^]*?)```/g;
const codeSpans = /`([^`\n]+)`/g;
const links = /!?\[([^\]\n]*)\]\(\s*([^\s)]+)[^)\n]*\)/g;
const angleLinks = /<(https?:\/\/[^\s<>|]+)\|([^<>\n]*)>/g;
const urls = /https?:\/\/[^\s<>"|]+/g;
const mentions = /(?<![\w@.&/])@([\w.-]*\w)/g;
const channels = /(?<![\w#&/])#([\w.-]*\w)/g;
const emoji = /:([a-z0-9_+-]+):/g;
const quotes = /^> ?/gm;

const emphasis = (mark: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${mark}([^\\s*_~](?:[^\\n]*?[^\\s*_~])?)${mark}(?![\\p{L}\\p{N}_])`, "gu");
const emphases = [
  { pattern: emphasis("\\*\\*"), mark: "**" },
  { pattern: emphasis("\\*"), mark: "**" },
  { pattern: emphasis("__"), mark: "**" },
  { pattern: emphasis("_"), mark: "*" },
  { pattern: emphasis("~~"), mark: "~~" },
  { pattern: emphasis("~"), mark: "~~" },
];

/** Markdown with marks, not yet escaped. */
export function toMarkdown(given: string, marks: Marks, lookup: RocketLookup): string {
  let text = cleanText(given)
    .replaceAll(fenced, (_found, code: string) => `\n${marks.add(codeBlock(code))}\n`)
    .replaceAll(codeSpans, (_found, code: string) => marks.add(codeSpan(code)))
    .replaceAll(links, (_found, label: string, url: string) => marks.add(link(label, url)))
    .replaceAll(angleLinks, (_found, url: string, label: string) => marks.add(link(label, url)))
    .replaceAll(urls, (url) => marks.add({ url }))
    .replaceAll(mentions, (found, name: string) => {
      const id = lookup.personId(name);
      return id === undefined ? found : marks.add({ kind: "person", id });
    })
    .replaceAll(channels, (found, name: string) => {
      const id = lookup.channelId(name);
      return id === undefined ? found : marks.add({ kind: "channel", id });
    })
    .replaceAll(emoji, (_found, name: string) => marks.add(`:${ourEmojiName(name) ?? name}:`))
    .replaceAll(quotes, () => marks.add("> "));
  for (const { pattern, mark } of emphases)
    text = text.replaceAll(pattern, (_found, inside: string) => {
      const around = marks.add(mark);
      return around + inside + around;
    });
  return text.trim();
}

/** As it can be part of a topic's name. */
export function toPlain(given: string, lookup: RocketLookup): string {
  let text = given
    .replaceAll(links, "$1")
    .replaceAll(angleLinks, "$2")
    .replaceAll(urls, "")
    .replaceAll(mentions, (found, name: string) =>
      name === "all" || name === "here" ? "" : (lookup.personName(name) ?? found.slice(1)),
    )
    .replaceAll(emoji, "")
    .replaceAll("`", "")
    .replaceAll(quotes, "");
  for (const { pattern } of emphases) text = text.replaceAll(pattern, "$1");
  return text;
}
