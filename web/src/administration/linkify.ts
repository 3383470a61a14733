/** Makes links as the server does in messages: all matches of one linkifier become links before the next is applied. */
import { parseTemplate } from "url-template";
import type { Linkifier } from "@skein/api/linkifiers.ts";
import { allowedSchemes } from "../content/allow-list.ts";
import { Pattern } from "./re2.ts";

export type LinkifierText = Pick<Linkifier, "pattern" | "url_template">;

export type Piece = { text: string } | { text: string; url: string };

// A match may follow these characters, or the start of the text, and no letter or digit may follow it.
const inPlace = (pattern: string): string => String.raw`(?:^|[\s\pZ'"(,:<])(${pattern})(?:$|[^\pL\pN])`;

/** Stands for a character of a link, which later linkifiers leave alone. */
const taken = "\u{F0000}";

interface Link {
  start: number;
  end: number;
  url: string;
}

const isAllowed = (url: string): boolean => {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1];
  return scheme === undefined || allowedSchemes.has(scheme.toLowerCase());
};

/** Throws a `PatternError` if a pattern is not valid. */
export function linkify(text: string, linkifiers: readonly LinkifierText[]): Piece[] {
  const chars = Array.from(text);
  let free = chars;
  const links: Link[] = [];
  for (const linkifier of linkifiers) {
    const found = linksIn(free, linkifier);
    links.push(...found);
    free = free.map((char, index) => (found.some(({ start, end }) => start <= index && index < end) ? taken : char));
  }
  return cut(chars, links);
}

function linksIn(chars: readonly string[], { pattern, url_template }: LinkifierText): Link[] {
  // By itself first: a quotation that is not closed would include what is added around it.
  const { names } = new Pattern(pattern);
  const search = new Pattern(inPlace(pattern));
  const template = parseTemplate(url_template);
  const links: Link[] = [];
  for (let from = 0; from <= chars.length;) {
    const slots = search.find(chars, from);
    const [start, end] = [slots?.[2], slots?.[3]];
    if (start === undefined || end === undefined) break;
    // The character that ends one match may also precede the next.
    from = Math.max(end, from + 1);
    const isFree = end > start && !chars.slice(start, end).includes(taken);
    // The pattern's own groups come after the one around it.
    const groupAt = (index: number): string => chars.slice(slots?.[2 * index + 2], slots?.[2 * index + 3]).join("");
    const groups = [...names].map(([name, index]) => [
      name,
      slots?.[2 * index + 2] === undefined ? "" : groupAt(index),
    ]);
    const url = isFree ? template.expand(Object.fromEntries(groups)) : "";
    if (url !== "" && isAllowed(url)) links.push({ start, end, url });
  }
  return links;
}

function cut(chars: readonly string[], links: readonly Link[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end, url } of links.toSorted((a, b) => a.start - b.start)) {
    if (start > at) pieces.push({ text: chars.slice(at, start).join("") });
    pieces.push({ text: chars.slice(start, end).join(""), url });
    at = end;
  }
  if (at < chars.length) pieces.push({ text: chars.slice(at).join("") });
  return pieces;
}
