/**
 * Turns mentions of the merged account into mentions of the other: in the HTML of a message by the id, and in its Markdown
 * by the id or by a name that the HTML shows for it. Code keeps its text. Links to a conversation (`#narrow/…`) stay as
 * they are: they are text that somebody wrote.
 */
import { escapeHtml } from "../../../markdown/escape.ts";
import { toUserReference, userMentionsIn } from "../../../markdown/references.ts";
import type { Pair } from "./pair.ts";

export interface Text {
  content: string;
  /** Null where only the Markdown is stored. */
  html: string | null;
}

/** The accounts, and others of the organization who have the same name as the merged one. */
export interface Renaming extends Pair {
  namesakes: readonly number[];
}

const attribute = (id: number): string => `data-user-id="${id}"`;

/** What the HTML of every message contains that mentions the merged account. */
export const mentionOf = ({ from }: Pair): string => attribute(from.id);

export function rewriteMentions({ content, html }: Text, renaming: Renaming): Text {
  if (html === null) return { content: rewriteMarkdown(content, renaming, namesWithout(renaming)), html };
  const names = namesIn(html, renaming);
  return { content: rewriteMarkdown(content, renaming, names), html: rewriteHtml(html, renaming) };
}

/** Of a text without HTML: a name that several people have stays, because nothing tells whom it means. */
const namesWithout = ({ from, namesakes }: Renaming): Set<string> =>
  new Set(namesakes.length > 0 ? [] : [from.full_name.toLowerCase()]);

const mentionsOf = ({ from }: Pair): RegExp =>
  new RegExp(`(<span [^>]*${attribute(from.id)}[^>]*>)(@?)([^<]*)(</span>)`, "g");

function rewriteHtml(html: string, pair: Pair): string {
  const shown = escapeHtml(pair.into.full_name);
  return html.replaceAll(mentionsOf(pair), (_, start: string, sign: string, _name: string, end: string) => {
    return start.replace(attribute(pair.from.id), attribute(pair.into.id)) + sign + shown + end;
  });
}

/** The names by which the HTML mentions the account: it may have been renamed since. */
function namesIn(html: string, renaming: Renaming): Set<string> {
  const names = [...html.matchAll(mentionsOf(renaming))].map((found) => unescape(found[3] ?? "").toLowerCase());
  const isUnclear = renaming.namesakes.some((id) => html.includes(attribute(id)));
  return new Set(isUnclear ? [] : names);
}

const characters: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
const unescape = (html: string): string =>
  html.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (code) => characters[code] ?? code);

/** Blocks between fences, which a text may leave open, and code within a line. */
const code = /^ *(`{3,}|~{3,})[^]*?(?:^ *\1[`~]* *$|(?![^]))|(`+)(?!`)[^]*?(?<!`)\2(?!`)/gm;

function rewriteMarkdown(text: string, renaming: Renaming, names: ReadonlySet<string>): string {
  if (!text.includes("@**") && !text.includes("@_**")) return text;
  const isCode = [...text.matchAll(code)].map(({ index, 0: found }) => [index, index + found.length] as const);
  let rewritten = "";
  let end = 0;
  for (const mention of userMentionsIn(text)) {
    if (isCode.some(([first, last]) => mention.start >= first && mention.start < last)) continue;
    const { name, id } = toUserReference(mention.content);
    if (id === undefined ? !names.has((name ?? "").toLowerCase()) : id !== renaming.from.id) continue;
    const { into } = renaming;
    const stars = mention.isSilent ? "@_**" : "@**";
    rewritten += `${text.slice(end, mention.start)}${stars}${into.full_name}|${into.id}**`;
    end = mention.end;
  }
  return rewritten + text.slice(end);
}
