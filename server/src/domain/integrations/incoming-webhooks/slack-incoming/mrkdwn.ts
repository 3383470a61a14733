/**
 * Converts Slack's mrkdwn to our Markdown. Mentions of users and groups (`<…>`) become plain words with an at sign, which
 * notify nobody.
 */
import { codeBlock, line, link } from "../markdown.ts";

const maxLength = 20_000;

/** Code is left unchanged; the text in between is converted. */
export function fromMrkdwn(text: string): string {
  const pieces = text.slice(0, maxLength).split(/(```[^]*?```|`[^`\n]+`)/);
  return pieces
    .map((piece, index) => (index % 2 === 1 ? fromCode(piece) : fromProse(piece)))
    .join("")
    .trim();
}

function fromCode(piece: string): string {
  if (!piece.startsWith("```")) return unescape(withPlainReferences(piece));
  return `\n${codeBlock("", unescape(withPlainReferences(piece.slice(3, -3))), maxLength).replace("``` \n", "```\n")}\n`;
}

const emphasis: [RegExp, string][] = [
  // Italics first, because their new marker is the old one of bold.
  [/(?<![\p{L}\p{N}_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\p{L}\p{N}_])/gu, "\u{f0001}$1\u{f0001}"],
  [/(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\p{L}\p{N}*])/gu, "**$1**"],
  [/(?<![\p{L}\p{N}~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\p{L}\p{N}~])/gu, "~~$1~~"],
  [/\u{f0001}/gu, "*"],
];

/** URLs contain characters that are not markup there, so text in angle brackets is set aside. */
function fromProse(piece: string): string {
  const references: string[] = [];
  let text = piece.replaceAll(/\u{f0001}|\u{f0002}/gu, "").replaceAll(/<([^<>\n]+)>/g, (_, inside: string) => {
    references.push(fromReference(inside));
    return "\u{f0002}";
  });
  for (const [pattern, replacement] of emphasis) text = text.replaceAll(pattern, replacement);
  return unescape(text).replaceAll(/\u{f0002}/gu, () => references.shift() ?? "");
}

/** `<https://example.com|words>`, `<@U024|name>`, `<#C024|name>`, `<!here>`, `<!date^…^…|words>`. */
function fromReference(inside: string): string {
  const bar = inside.indexOf("|");
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = unescape(bar < 0 ? "" : inside.slice(bar + 1));
  if (target.startsWith("@")) return `@${line(label || target.slice(1)).replace(/^@/, "")}`;
  if (target.startsWith("#")) return `#${line(label || target.slice(1)).replace(/^#/, "")}`;
  if (target.startsWith("!")) return line(label || `@${target.slice(1)}`);
  if (target.startsWith("mailto:")) return line(label || target.slice("mailto:".length));
  const address = unescape(target);
  return label === "" ? link(address, address) : link(label, address);
}

const withPlainReferences = (text: string): string =>
  text.replaceAll(/<([^<>\n|]+)(?:\|([^<>\n]+))?>/g, (_, target: string, label: string | undefined) => label ?? target);

const unescape = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
