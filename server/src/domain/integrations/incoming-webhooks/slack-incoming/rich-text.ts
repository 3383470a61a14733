/** The output of Slack's editor: a list of text pieces with styles. */
import { z } from "zod";
import { listed, optionalText } from "../formatter.ts";
import { code, codeBlock, line, link, quote } from "../markdown.ts";

const looks = z.object({
  bold: z.boolean().nullish(),
  italic: z.boolean().nullish(),
  strike: z.boolean().nullish(),
  code: z.boolean().nullish(),
});

const piece = z.object({
  type: z.string(),
  text: optionalText,
  url: optionalText,
  name: optionalText,
  user_id: optionalText,
  channel_id: optionalText,
  usergroup_id: optionalText,
  range: optionalText,
  style: z.union([looks, z.string()]).nullish(),
});
type Piece = z.output<typeof piece>;

const section = z.object({ type: z.string(), elements: listed(piece, 200).nullish() });

const part = z.object({
  type: z.string(),
  /** For a list: bullet or ordered. */
  style: z.unknown().optional(),
  indent: z.number().nullish(),
  /** Sections for a list, pieces for everything else. */
  elements: listed(section.extend(piece.omit({ type: true }).shape), 200),
});

export const richText = z.object({ elements: listed(part, 50) });

export const fromRichText = ({ elements }: z.output<typeof richText>): string =>
  elements.items.map(fromPart).join("\n\n");

function fromPart({ type, style, indent, elements }: z.output<typeof part>): string {
  if (type === "rich_text_list") {
    const depth = "  ".repeat(Math.min(Math.max(indent ?? 0, 0), 8));
    const sign = style === "ordered" ? "1." : "*";
    return elements.items
      .map((item) => `${depth}${sign} ${(item.elements?.items ?? []).map(fromPiece).join("").replaceAll("\n", " ")}`)
      .join("\n");
  }
  if (type === "rich_text_preformatted") return codeBlock("text", elements.items.map(({ text }) => text).join(""));
  const words = elements.items.map(fromPiece).join("");
  return type === "rich_text_quote" ? quote(words) : words;
}

function fromPiece(its: Piece): string {
  switch (its.type) {
    case "link":
      return link(its.text || its.url, its.url);
    case "emoji":
      return `:${line(its.name)}:`;
    case "user":
      return `@${line(its.user_id)}`;
    case "usergroup":
      return `@${line(its.usergroup_id)}`;
    case "channel":
      return `#${line(its.channel_id)}`;
    case "broadcast":
      return `@${line(its.range)}`;
    default:
      return typeof its.style === "object" && its.style ? styled(its.text, its.style) : its.text;
  }
}

/** Markers must be next to the text they mark, not next to a space. */
function styled(text: string, { bold, italic, strike, code: isCode }: z.output<typeof looks>): string {
  const core = text.trim();
  if (core === "") return text;
  const [before = "", after = ""] = text.split(core);
  let marked = isCode ? code(core) : core;
  if (italic) marked = `*${marked}*`;
  if (bold) marked = `**${marked}**`;
  if (strike) marked = `~~${marked}~~`;
  return before + marked + after;
}
