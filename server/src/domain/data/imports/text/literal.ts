/**
 * Text that has to be shown as it is. Our Markdown has no backslash escapes, so characters that would begin to mean
 * something are written as entities, and only those, so that the text stays readable where it is edited.
 */
import { nameToCode } from "../../../../markdown/emoji.ts";
import { markPattern } from "./marks.ts";

const entityOf = (character: string): string => `&#${character.codePointAt(0) ?? 0};`;
const escapeAll = (found: string): string => found.replaceAll(/[^]/g, entityOf);

/** Marks that stand for markup may be between the beginning of a line and its text. */
const lineStart = `(?<=^(?:${markPattern})* {0,3})`;

const beginningOfEntity = /&(?=(?:#\d+|#x[\da-f]+|[\da-z]+);)/gi;
/** A star between blanks means nothing, except at the beginning of a line. */
const stars = /(?<!\S )\*|\*(?! )/g;
const runs = /~{2,}|\${2,}|`+/g;
const beginningOfTime = /<(?=time:)/g;
const middleOfLink = /\](?=\()/g;
const emoji = /:([\w+-]+)(?=:)/g;
const headings = new RegExp(`${lineStart}#(?=#{0,5}\\s)`, "gm");
const quotes = new RegExp(`${lineStart}>`, "gm");
/** Of hyphens, underscores, bars and colons only: a rule, or what makes the line above the head of a table. */
const rulesAndTables = new RegExp(`${lineStart}[-_|:](?=[-_|: ]*$)`, "gm");
const indents = /^(?: {4}|\t)[ \t]*/gm;
const anySpecial = /[&*~$`<\]:#>|\t]|^ {4}|^ {0,3}[-_]/m;

/** The text as Markdown that shows it literally. */
export function literal(text: string): string {
  if (!anySpecial.test(text)) return text;
  return (
    text
      .replaceAll(beginningOfEntity, "&amp;")
      .replaceAll(stars, entityOf)
      .replaceAll(runs, escapeAll)
      .replaceAll(beginningOfTime, "&lt;")
      .replaceAll(middleOfLink, entityOf)
      .replaceAll(emoji, (found, name: string) => (nameToCode.has(name) ? `&#58;${name}` : found))
      .replaceAll(headings, entityOf)
      .replaceAll(quotes, "&gt;")
      .replaceAll(rulesAndTables, entityOf)
      // Indented text would be code, and show entities as they are written.
      .replaceAll(indents, (spaces) => spaces.replaceAll("\t", "    ").replaceAll(" ", "\u00a0"))
  );
}
