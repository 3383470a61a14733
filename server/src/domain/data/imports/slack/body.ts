/** What a Slack message says, as our Markdown: its text, its attachments, its files. */
import { isRecord, type JsonRecord, listOf, recordOf, recordsOf, stringOf } from "../archive/json.ts";
import type { SourceFile, SourceText } from "../source.ts";
import { literal } from "../text/literal.ts";
import { cleanText, Marks } from "../text/marks.ts";
import { applyStyle, link } from "../text/styles.ts";
import { InlineWriter } from "./inline.ts";
import type { SlackLookup } from "./lookup.ts";
import { mrkdwnToMarkdown, mrkdwnToPlain } from "./mrkdwn.ts";
import { richTextToMarkdown, richTextToPlain } from "./rich-text.ts";

/** A file of the message: in the archive or not, or somewhere else. */
export type MessageFile = { file: SourceFile } | { link: { text: string; url: string } };

const command = /^\/(?=(?:me|poll|todo)(?:\s|$))/;

export function bodyOf(message: JsonRecord, files: readonly MessageFile[], lookup: SlackLookup): SourceText {
  const writer = new BodyWriter(lookup);
  return writer.write(message, files);
}

/** A line in place of what has no text. */
export const plainBody = (line: string): SourceText => [literal(line)];

class BodyWriter {
  readonly #marks = new Marks();
  readonly #lookup: SlackLookup;

  constructor(lookup: SlackLookup) {
    this.#lookup = lookup;
  }

  write(message: JsonRecord, files: readonly MessageFile[]): SourceText {
    const marks = this.#marks;
    const text = this.#text(message).trim();
    const isMe = message["subtype"] === "me_message";
    const sections = [
      isMe ? marks.add("/me ") + text : text.replace(command, () => marks.add("&#47;")),
      ...recordsOf(message["attachments"]).map((attachment) => this.#attachment(attachment)),
      files.map((file) => this.#file(file)).join("\n"),
    ].filter((section) => section !== "");
    if (sections.length === 0) return ["(no text)"];
    return marks.expand(literal(sections.join("\n\n")));
  }

  #text(message: JsonRecord): string {
    const { blocks } = message;
    if (Array.isArray(blocks) && blocks.length > 0) {
      const text = this.#blocks(blocks);
      if (text.trim() !== "") return text;
    }
    return this.#mrkdwn(message["text"]);
  }

  #mrkdwn(text: unknown): string {
    return typeof text === "string" && text !== "" ? mrkdwnToMarkdown(text, this.#marks, this.#lookup) : "";
  }

  #blocks(blocks: readonly unknown[]): string {
    return blocks
      .filter(isRecord)
      .map((block) => this.#block(block))
      .filter((part) => part !== "")
      .join("\n");
  }

  #block(block: JsonRecord): string {
    switch (block["type"]) {
      case "rich_text":
        return richTextToMarkdown(block, this.#marks, this.#lookup);
      case "header":
        return applyStyle(this.#textObject(block["text"]), { bold: true }, this.#marks);
      case "section":
        return [block["text"], ...listOf(block["fields"])]
          .map((text) => this.#textObject(text))
          .filter((text) => text !== "")
          .join("\n");
      case "context":
        return recordsOf(block["elements"])
          .map((element) => this.#textObject(element))
          .filter((text) => text !== "")
          .join(" ");
      case "divider":
        return this.#marks.add("\n---\n");
      case "image":
      case "video":
        return this.#link(
          stringOf(recordOf(block["title"])["text"]) || stringOf(block["alt_text"]),
          stringOf(block["image_url"]) || stringOf(block["title_url"]) || stringOf(block["video_url"]),
        );
      default:
        return "";
    }
  }

  #textObject(value: unknown): string {
    const { type, text } = recordOf(value);
    if (type === "plain_text") return cleanText(stringOf(text));
    return type === "mrkdwn" ? this.#mrkdwn(text) : "";
  }

  /** In their order: pretext, title, text, fields; the fallback if there is nothing else. */
  #attachment(attachment: JsonRecord): string {
    // The preview of a link in the text, not something that was written.
    if (
      typeof attachment["from_url"] === "string" &&
      attachment["is_share"] !== true &&
      attachment["blocks"] === undefined
    )
      return "";
    const blocks = this.#blocks(listOf(attachment["blocks"]));
    const title = stringOf(attachment["title"]);
    const parts = [
      this.#mrkdwn(attachment["pretext"]),
      attachment["is_share"] === true ? cleanText(stringOf(attachment["author_name"])) : "",
      title === "" ? "" : this.#link(title, stringOf(attachment["title_link"])),
      blocks === "" ? this.#mrkdwn(attachment["text"]) : blocks,
      ...recordsOf(attachment["fields"]).map((field) => this.#field(field)),
      this.#link("", stringOf(attachment["image_url"])),
    ].filter((part) => part !== "");
    return parts.length > 0 ? parts.join("\n") : this.#mrkdwn(attachment["fallback"]);
  }

  #field(field: JsonRecord): string {
    const title = cleanText(stringOf(field["title"])).trim();
    const value = this.#mrkdwn(field["value"]);
    return title === "" ? value : `${applyStyle(title, { bold: true }, this.#marks)}: ${value}`;
  }

  #link(text: string, url: string): string {
    if (url === "") return cleanText(text);
    return new InlineWriter(this.#marks, this.#lookup).link(cleanText(url), cleanText(text));
  }

  #file(file: MessageFile): string {
    return this.#marks.add("file" in file ? { kind: "file", file: file.file } : link(file.link.text, file.link.url));
  }
}

/** What can give a thread its name, from the best to the worst. */
export function* plainTextsOf(message: JsonRecord, lookup: SlackLookup): Generator<string> {
  const rich = recordsOf(message["blocks"]).filter(({ type }) => type === "rich_text");
  if (rich.length > 0) yield rich.map((block) => richTextToPlain(block, lookup)).join("\n");
  yield mrkdwnToPlain(stringOf(message["text"]), lookup);
  const [first] = recordsOf(message["attachments"]);
  if (first !== undefined) yield mrkdwnToPlain(stringOf(first["title"]) || stringOf(first["fallback"]), lookup);
}
