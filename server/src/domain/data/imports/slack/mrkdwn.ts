/** Slack's own markup, as text is written by apps and in old messages: to our Markdown, and to plain text. */
import { cleanText, type Marks } from "../text/marks.ts";
import { codeBlock, codeSpan } from "../text/styles.ts";
import { parseAngle } from "./angle.ts";
import { decodeText } from "./entities.ts";
import { InlineWriter } from "./inline.ts";
import type { SlackLookup } from "./lookup.ts";

const fenced = /```([^]*?)```/g;
const codeOrAngleOrEmoji = /`([^`\n]+)`|<([^<>\n]+)>|:([a-z0-9_+'-]+(?:::skin-tone-\d)?):/g;
const quotedLine = /^(?:&gt;|>) ?/;
const quotedRest = /^(?:&gt;|>){3} ?/;

/** Only at the edges of words. `mark` is escaped for a pattern. */
const emphasis = (mark: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}_${mark}])${mark}([^\\s${mark}](?:[^${mark}\\n]*[^\\s${mark}])?)${mark}(?![\\p{L}\\p{N}_${mark}])`,
    "gu",
  );
const emphases = [
  { pattern: emphasis("\\*"), mark: "**" },
  { pattern: emphasis("_"), mark: "*" },
  { pattern: emphasis("~"), mark: "~~" },
];
const anyMarkup = /[`<:*_~&>]/;

/** Markdown with marks, not yet escaped. */
export function mrkdwnToMarkdown(given: string, marks: Marks, lookup: SlackLookup): string {
  const text = cleanText(given);
  if (!anyMarkup.test(text)) return text;
  const inline = new InlineWriter(marks, lookup);
  const blocks: string[] = [];
  let done = 0;
  for (const { 0: block, 1: code = "", index } of text.matchAll(fenced)) {
    blocks.push(...linesToMarkdown(withoutEdge(text.slice(done, index)), inline));
    blocks.push(marks.add(codeBlock(plainCode(code, lookup))));
    done = index + block.length;
  }
  blocks.push(...linesToMarkdown(done === 0 ? text : withoutEdge(text.slice(done)), inline));
  return blocks.join("\n");
}

/** Without the newlines beside a block of code. */
const withoutEdge = (text: string): string => text.replace(/^\n/, "").replace(/\n$/, "");

function linesToMarkdown(text: string, inline: InlineWriter): string[] {
  if (text === "") return [];
  const made: string[] = [];
  let isRestQuoted = false;
  let wasQuoted = false;
  for (const line of text.split("\n")) {
    if (!isRestQuoted && quotedRest.test(line)) isRestQuoted = true;
    const isQuoted = isRestQuoted || quotedLine.test(line);
    // Our quotes include the lines that follow, up to a blank one.
    if (wasQuoted && !isQuoted && line.trim() !== "") made.push("");
    const content = inlineToMarkdown(isQuoted ? line.replace(quotedRest, "").replace(quotedLine, "") : line, inline);
    made.push(isQuoted ? inline.marks.add("> ") + content : content);
    wasQuoted = isQuoted;
  }
  if (wasQuoted) made.push("");
  return made;
}

function inlineToMarkdown(line: string, inline: InlineWriter): string {
  if (!anyMarkup.test(line)) return line;
  const { marks } = inline;
  let made = line.replaceAll(codeOrAngleOrEmoji, (found, code?: string, angle?: string, emoji?: string) => {
    if (code !== undefined) return marks.add(codeSpan(decodeText(code)));
    if (emoji !== undefined) return inline.emoji(emoji);
    return angleToMarkdown(found, angle ?? "", inline);
  });
  for (const { pattern, mark } of emphases) {
    made = made.replaceAll(pattern, (_found, inside: string) => {
      const around = marks.add(mark);
      return around + inside + around;
    });
  }
  return decodeText(made);
}

function angleToMarkdown(found: string, inside: string, inline: InlineWriter): string {
  const angle = parseAngle(inside);
  switch (angle.kind) {
    case "person":
      return inline.person(angle.id, angle.label);
    case "channel":
      return inline.channel(angle.id, angle.label);
    case "group":
      return inline.group(angle.id, angle.label);
    case "broadcast":
      return inline.broadcast(angle.label);
    case "date":
      return inline.date(angle.seconds, angle.label);
    case "link":
      return inline.link(angle.url, angle.label);
    case "text":
      return found;
  }
}

/** Inside of code nothing is marked up, and links are shown as they are. */
const plainCode = (code: string, lookup: SlackLookup): string =>
  decodeText(
    code.replaceAll(/<([^<>\n]+)>/g, (found, inside: string) => {
      const angle = parseAngle(inside);
      if (angle.kind === "link") return angle.label || angle.url;
      return angle.kind === "text" ? found : angleToPlain(found, inside, lookup);
    }),
  );

const emojiCode = /:[a-z0-9_+'-]+(?:::skin-tone-\d)?:/g;

/** As it can be part of a topic's name. */
export function mrkdwnToPlain(text: string, lookup: SlackLookup): string {
  let plain = text
    .replaceAll(/<([^<>]+)>/g, (found, inside: string) => angleToPlain(found, inside, lookup))
    .replaceAll(emojiCode, "")
    .replaceAll("`", "");
  for (const { pattern } of emphases) plain = plain.replaceAll(pattern, "$1");
  return decodeText(plain.replaceAll(/^&gt; ?/gm, ""));
}

function angleToPlain(found: string, inside: string, lookup: SlackLookup): string {
  const angle = parseAngle(inside);
  switch (angle.kind) {
    case "person":
      return lookup.personName(angle.id) ?? angle.label;
    case "channel":
      return `#${lookup.channelName(angle.id) ?? angle.label}`;
    case "group":
      return angle.label.replace(/^@/, "");
    case "broadcast":
      return "";
    case "date":
    case "link":
      return angle.label;
    case "text":
      return found;
  }
}
