/**
 * What a web page says of itself in its head: Open Graph, or the plain title and description. The page is whatever a
 * stranger wrote, so it is read character by character, once, without building a tree and without believing that
 * anything that begins also ends.
 */
import type { UrlEmbedData } from "../../markdown/context.ts";
import { decodeEntities } from "../../markdown/html-tree.ts";

/** So much of a page is looked at. */
const maxLength = 500_000;
const maxTitle = 200;
const maxDescription = 500;
const maxAddress = 2000;

/** Elements whose content is no markup, or is not meant to be seen. */
const passedOver = new Set(["script", "style", "noscript", "template", "textarea", "svg"]);

/** `url` is where the page came from. Null when it says nothing. */
export function readPageMetadata(html: string, url: string): UrlEmbedData | null {
  const { titles, metas } = readHead(html.slice(0, maxLength));
  const first = (...names: string[]) => names.map((name) => metas.get(name)).find((value) => value !== undefined);
  const title = clean(first("og:title", "twitter:title") ?? titles[0] ?? "", maxTitle);
  const description = clean(first("og:description", "twitter:description", "description") ?? "", maxDescription);
  const image = pictureAddress(first("og:image", "og:image:url", "og:image:secure_url", "twitter:image"), url);
  if (title === "" && description === "" && image === undefined) return null;
  return {
    ...(title !== "" && { title }),
    ...(description !== "" && { description }),
    ...(image !== undefined && { image }),
  };
}

interface Head {
  titles: string[];
  /** By name or property; of several the first. */
  metas: Map<string, string>;
}

function readHead(html: string): Head {
  const head: Head = { titles: [], metas: new Map() };
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    if (html.startsWith("<!--", at)) {
      const end = html.indexOf("-->", at + 4);
      if (end < 0) break;
      at = end;
      continue;
    }
    const tag = readTag(html, at);
    if (tag === undefined) {
      at++;
      continue;
    }
    if (tag === "unfinished" || tag.name === "body" || tag.name === "/head") break;
    at = tag.end;
    if (tag.name === "meta") keepMeta(head, attributesOf(tag.attributes));
    else if (tag.name === "title" || passedOver.has(tag.name)) {
      const end = indexOfEnd(html, tag.name, at);
      if (end < 0) break;
      if (tag.name === "title") head.titles.push(decodeEntities(html.slice(at, end)));
      at = end;
    }
  }
  return head;
}

interface Tag {
  /** In small letters; with a slash before it at an end. */
  name: string;
  attributes: string;
  /** Behind the tag. */
  end: number;
}

const tagName = /<(\/?[a-z][a-z0-9-]*)/iy;

/** A tag ends at the first `>` outside of quotes. One that never does is the end of the page. */
function readTag(html: string, at: number): Tag | "unfinished" | undefined {
  tagName.lastIndex = at;
  const found = tagName.exec(html);
  if (!found) return undefined;
  const begin = tagName.lastIndex;
  let quote = "";
  for (let index = begin; index < html.length; index++) {
    const character = html[index] ?? "";
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === ">") {
      return { name: (found[1] ?? "").toLowerCase(), attributes: html.slice(begin, index), end: index + 1 };
    } else if ((character === '"' || character === "'") && /[=\s]/.test(html[index - 1] ?? "")) quote = character;
  }
  return "unfinished";
}

function indexOfEnd(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, "gi");
  end.lastIndex = from;
  return end.exec(html)?.index ?? -1;
}

const attribute = /([^\s"'<>/=]{1,100})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=]+))/g;

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single, bare] of text.slice(0, 10_000).matchAll(attribute))
    attributes.set(name.toLowerCase(), decodeEntities(double ?? single ?? bare ?? ""));
  return attributes;
}

function keepMeta({ metas }: Head, attributes: Map<string, string>): void {
  const name = (attributes.get("property") ?? attributes.get("name"))?.trim().toLowerCase();
  const content = attributes.get("content");
  if (name === undefined || content === undefined || content.trim() === "" || metas.has(name)) return;
  metas.set(name, content);
}

/** One line without control characters, none of which the database or a reader could do anything with. */
function clean(text: string, maxCharacters: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const characters = [...line];
  return characters.length <= maxCharacters ? line : `${characters.slice(0, maxCharacters - 1).join("")}…`;
}

function pictureAddress(text: string | undefined, page: string): string | undefined {
  const url = text === undefined ? null : URL.parse(text.trim(), page);
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > maxAddress) return undefined;
  return url.href;
}
