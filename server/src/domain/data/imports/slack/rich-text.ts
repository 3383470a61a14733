/** Slack's rich text, the exact form of what people write: to our Markdown, and to plain text. */
import { type JsonRecord, numberOf, recordOf, recordsOf, stringOf } from "../archive/json.ts";
import { cleanText, type Marks } from "../text/marks.ts";
import { applyStyle, codeBlock, type Style } from "../text/styles.ts";
import { InlineWriter } from "./inline.ts";
import type { SlackLookup } from "./lookup.ts";

/** Markdown with marks, not yet escaped. */
export function richTextToMarkdown(block: JsonRecord, marks: Marks, lookup: SlackLookup): string {
  const inline = new InlineWriter(marks, lookup);
  let made = "";
  let before = "";
  for (const element of recordsOf(block["elements"])) {
    const type = stringOf(element["type"]);
    const part = partToMarkdown(type, element, inline, lookup);
    // Our quotes include the lines that follow, up to a blank one.
    if (before === "rich_text_quote" && type !== before) made += "\n";
    made += made === "" || made.endsWith("\n") ? part : `\n${part}`;
    if (type !== "rich_text_section" && !made.endsWith("\n")) made += "\n";
    before = type;
  }
  return made.replace(/\n+$/, "");
}

function partToMarkdown(type: string, element: JsonRecord, inline: InlineWriter, lookup: SlackLookup): string {
  const { marks } = inline;
  switch (type) {
    case "rich_text_list":
      return listToMarkdown(element, inline);
    case "rich_text_quote":
      return withPrefix(sectionToMarkdown(element, inline), marks.add("> "));
    case "rich_text_preformatted":
      return marks.add(codeBlock(cleanText(sectionToPlain(element, lookup, true))));
    default:
      return sectionToMarkdown(element, inline);
  }
}

const withPrefix = (text: string, prefix: string): string =>
  text
    .split("\n")
    .map((line) => prefix + line)
    .join("\n");

/** Two spaces nest a list in our Markdown. */
function listToMarkdown(list: JsonRecord, inline: InlineWriter): string {
  const { marks } = inline;
  const indent = "  ".repeat(Math.min(numberOf(list["indent"]) ?? 0, 8));
  const border = numberOf(list["border"]) === 1 ? marks.add("> ") : "";
  const first = (numberOf(list["offset"]) ?? 0) + 1;
  return recordsOf(list["elements"])
    .map((item, index) => {
      const bullet = stringOf(list["style"]) === "ordered" ? `${first + index}. ` : "* ";
      const text = sectionToMarkdown(item, inline).replaceAll("\n", () => `\n${marks.add(`${indent}  `)}`);
      return border + marks.add(indent + bullet) + text;
    })
    .join("\n");
}

function sectionToMarkdown(section: JsonRecord, inline: InlineWriter): string {
  let text = "";
  for (const element of recordsOf(section["elements"])) {
    const style = recordOf(element["style"]) as Style; // flags that are only tested
    text += applyStyle(elementToMarkdown(element, inline), style, inline.marks);
  }
  return text;
}

function elementToMarkdown(element: JsonRecord, inline: InlineWriter): string {
  switch (element["type"]) {
    case "text":
      return cleanText(stringOf(element["text"]));
    case "user":
      return inline.person(stringOf(element["user_id"]), "");
    case "channel":
      return inline.channel(stringOf(element["channel_id"]), "");
    case "usergroup":
      return inline.group(stringOf(element["usergroup_id"]), "");
    case "broadcast":
      return inline.broadcast(stringOf(element["range"]));
    case "link":
      return inline.link(cleanText(stringOf(element["url"])), cleanText(stringOf(element["text"])));
    case "emoji":
      return inline.emoji(stringOf(element["name"]));
    case "date":
      return inline.date(numberOf(element["timestamp"]) ?? Number.NaN, cleanText(stringOf(element["fallback"])));
    case "color":
      return cleanText(stringOf(element["value"]));
    default:
      return cleanText(stringOf(element["text"]) || stringOf(element["fallback"]));
  }
}

/** As it can be part of a topic's name. */
export function richTextToPlain(block: JsonRecord, lookup: SlackLookup): string {
  return recordsOf(block["elements"])
    .flatMap((element) => (element["type"] === "rich_text_list" ? recordsOf(element["elements"]) : [element]))
    .map((section) => sectionToPlain(section, lookup, false))
    .join("\n");
}

/** In code, links without a text are shown; in a name they are not. */
function sectionToPlain(section: JsonRecord, lookup: SlackLookup, isCode: boolean): string {
  let text = "";
  for (const element of recordsOf(section["elements"])) {
    switch (element["type"]) {
      case "text":
        text += stringOf(element["text"]);
        break;
      case "user":
        text += lookup.personName(stringOf(element["user_id"])) ?? "";
        break;
      case "channel":
        text += `#${lookup.channelName(stringOf(element["channel_id"])) ?? ""}`;
        break;
      case "link":
        text += stringOf(element["text"]) || (isCode ? stringOf(element["url"]) : "");
        break;
      case "date":
        text += stringOf(element["fallback"]);
        break;
    }
  }
  return text;
}
