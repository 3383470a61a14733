/**
 * The metadata in the head of a web page: Open Graph, or the plain title and description. A page may be hostile, so the
 * parser builds no tree, reads a bounded number of characters, and stops at the end of the head.
 */
import { Parser } from "htmlparser2";
import type { UrlEmbedData } from "../../../markdown/context.ts";

/** How many characters of a page are parsed. */
const maxLength = 500_000;
/** No head is nested like this; the parser's work per tag grows with the depth. */
const maxDepth = 100;
const maxTitle = 200;
const maxDescription = 500;
const maxUrlLength = 2000;

/** Elements whose content is not metadata of the page. */
const skipped = new Set(["script", "style", "noscript", "template", "textarea", "svg"]);

/** `url` is the page's own URL. Null when the page has no metadata. */
export function readPageMetadata(html: string, url: string): UrlEmbedData | null {
  const { titles, metas } = readHead(html.slice(0, maxLength));
  const first = (...names: string[]) => names.map((name) => metas.get(name)).find((value) => value !== undefined);
  const title = clean(first("og:title", "twitter:title") ?? titles[0] ?? "", maxTitle);
  const description = clean(first("og:description", "twitter:description", "description") ?? "", maxDescription);
  const image = imageUrl(first("og:image", "og:image:url", "og:image:secure_url", "twitter:image"), url);
  if (title === "" && description === "" && image === undefined) return null;
  return {
    ...(title !== "" && { title }),
    ...(description !== "" && { description }),
    ...(image !== undefined && { image }),
  };
}

interface Head {
  titles: string[];
  /** By name or property; the first one wins. */
  metas: Map<string, string>;
}

function readHead(html: string): Head {
  const head: Head = { titles: [], metas: new Map() };
  let title: string | undefined;
  let depth = 0;
  /** The depth of the outermost skipped element. */
  let skippedAt: number | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      depth++;
      if (name === "body" || depth > maxDepth) parser.pause();
      if (skippedAt !== undefined) return;
      if (skipped.has(name)) skippedAt = depth;
      else if (name === "title") title = "";
      else if (name === "meta") keepMeta(head, attributes);
    },
    ontext(text) {
      if (title !== undefined) title += text;
    },
    onclosetag(name, isImplied) {
      if (name === "head") parser.pause();
      if (title !== undefined && !isImplied) head.titles.push(title);
      title = undefined;
      if (depth === skippedAt) skippedAt = undefined;
      depth--;
    },
  });
  parser.end(html);
  return head;
}

function keepMeta({ metas }: Head, { property, name: plainName, content }: Record<string, string>): void {
  const name = (property ?? plainName)?.trim().toLowerCase();
  if (name === undefined || content === undefined || content.trim() === "" || metas.has(name)) return;
  metas.set(name, content);
}

/** One line, without control characters. */
function clean(text: string, maxCharacters: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const characters = [...line];
  return characters.length <= maxCharacters ? line : `${characters.slice(0, maxCharacters - 1).join("")}…`;
}

function imageUrl(text: string | undefined, page: string): string | undefined {
  const url = text === undefined ? null : URL.parse(text.trim(), page);
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > maxUrlLength) return undefined;
  return url.href;
}
