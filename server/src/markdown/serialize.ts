/**
 * Writes a tree as HTML. Attributes come in alphabetical order; one whose value is its own name is written bare. Stored
 * HTML replaces its mark in text only, never in attributes. Entities stay entities, except in URLs: those were validated
 * exactly as they are here, and the browser has to read the same.
 */
import { escapeAttribute, escapeHtml, escapeText } from "./escape.ts";
import { htmlMark, markLength, markNumber, type StoredHtml } from "./marks.ts";
import { type Element, isBlockTag } from "./tree.ts";

const voidTags: ReadonlySet<string> = new Set(["br", "hr", "img"]);

/** Attributes that contain a URL, or a style with one. */
const urlAttributes: ReadonlySet<string> = new Set(["href", "src", "style"]);

const isSorted = (names: readonly string[]): boolean =>
  names.every((name, index) => index === 0 || name > (names[index - 1] ?? ""));

function attributesOf(element: Element): string {
  if (element.attributes === undefined) return "";
  const names = Object.keys(element.attributes);
  let written = "";
  for (const name of isSorted(names) ? names : names.toSorted()) {
    const value = element.attributes[name] ?? "";
    const escape = urlAttributes.has(name) ? escapeHtml : escapeAttribute;
    written += name === value ? ` ${name}` : ` ${name}="${escape(value)}"`;
  }
  return written;
}

const firstTag = /^<\/?([^ >]+)/;

/** Stored HTML that is a block itself, alone in a paragraph, replaces that paragraph. */
function storedBlock(element: Element, html: StoredHtml): string | undefined {
  const { tag, text, children } = element;
  if (tag !== "p" || text.length !== markLength || children.length > 0 || !text.startsWith(htmlMark)) return undefined;
  const stored = html.get(markNumber(text, 0));
  return isBlockTag(firstTag.exec(stored)?.[1] ?? "") ? stored : undefined;
}

function serialize(element: Element, html: StoredHtml): string {
  const text = element.text === "" ? "" : html.restore(escapeText(element.text));
  const tail = element.tail === "" ? "" : html.restore(escapeText(element.tail));
  const { tag, children } = element;
  const start = `<${tag}${attributesOf(element)}>`;
  if (voidTags.has(tag)) return start + tail;
  if (children.length === 0) return `${storedBlock(element, html) ?? `${start}${text}</${tag}>`}${tail}`;
  return `${start}${text}${serializeChildren(element, html)}</${tag}>${tail}`;
}

/** The inner HTML of an element. */
export function serializeChildren(element: Element, html: StoredHtml): string {
  let written = "";
  for (const child of element.children) written += serialize(child, html);
  return written;
}
