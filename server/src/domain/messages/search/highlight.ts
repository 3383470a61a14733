/**
 * Marks the words a search found in the HTML of a message and in its topic. The database knows where they are, since it
 * knows what counts as a word and as the same word. It surrounds them with characters that no message contains; only
 * where these are in text, not inside a tag, do they become elements.
 */
import { escapeHtml } from "../../../markdown/escape.ts";
import type { MessageForm } from "../object.ts";
import { shownTopic } from "../../channels/topics/name.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import type { Parameters } from "../narrow/parameters.ts";

/**
 * From the end of Unicode's private use area. A message that contains them loses them here; they are invisible anyway.
 */
const opening = "\u{10FFFD}";
const closing = "\u{10FFFC}";
const start = '<span class="highlight">';
const end = "</span>";

export interface HighlightRow {
  match_content: string;
  match_topic: string;
}

export interface Matches {
  match_content: string;
  match_subject: string;
}

/** The columns with marked words, for a statement with a message `m` and its topic `t`. */
export function highlightColumns(params: Parameters, language: string, words: string): string {
  const lang = params.add(language, "text");
  const query = `plainto_tsquery(${lang}::regconfig, ${params.add(words, "text")})`;
  const options = params.add(`HighlightAll=true, StartSel=${opening}, StopSel=${closing}`, "text");
  const marked = (text: string) =>
    `ts_headline(${lang}::regconfig, translate(${text}, '${opening}${closing}', ''), ${query}, ${options})`;
  return `${marked("m.rendered_content")} as match_content, ${marked(`coalesce(${spelledTopic}, '')`)} as match_topic`;
}

export const toMatches = (row: HighlightRow, form: Pick<MessageForm, "empty_topic_name">): Matches => ({
  match_content: markedHtml(row.match_content),
  match_subject: markedText(row.match_topic === "" ? shownTopic("", form) : row.match_topic),
});

const marks = new RegExp(`[${opening}${closing}]`, "gu");

const toElements = (text: string): string => text.replaceAll(opening, start).replaceAll(closing, end);

/** A tag, whose quoted attributes may contain any characters, or a piece of text. */
const pieces = /<(?:"[^"]*"|'[^']*'|[^'">])*>|[^<]+|</gu;

export const markedHtml = (html: string): string =>
  html.replaceAll(pieces, (piece) =>
    piece.length > 1 && piece.startsWith("<") ? piece.replaceAll(marks, "") : toElements(piece),
  );

export const markedText = (text: string): string => toElements(escapeHtml(text));
