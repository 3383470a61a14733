/**
 * Reads rendered messages back: a small parser for HTML that is known to be well-formed, because we wrote it. Text and
 * start tags are kept exactly as in the source.
 */
import { decodeEntities } from "./entities.ts";

export interface HtmlElement {
  name: string;
  /** As in the source; empty for the root. */
  startTag: string;
  children: HtmlNode[];
}

export type HtmlNode = HtmlElement | string;

export const isElement = (node: HtmlNode | undefined): node is HtmlElement => typeof node === "object";

const voidElements: ReadonlySet<string> = new Set(["br", "col", "hr", "img", "input", "wbr"]);

/** Whether an element consists of its start tag only. */
export const isVoid = ({ name, startTag }: Pick<HtmlElement, "name" | "startTag">): boolean =>
  voidElements.has(name) || startTag.endsWith("/>");

const anyPiece = /<(\/?)([a-z][a-z0-9-]*)[^>]*>|[^<]+|</g;

/** Returns an unnamed root element. An end tag without its start tag is ignored. */
export function parseHtml(html: string): HtmlElement {
  const root: HtmlElement = { name: "", startTag: "", children: [] };
  const open = [root];
  for (const [source, slash, name] of html.matchAll(anyPiece)) {
    const parent = open.at(-1) ?? root;
    if (name === undefined) parent.children.push(source);
    else if (slash === "") {
      const element: HtmlElement = { name, startTag: source, children: [] };
      parent.children.push(element);
      if (!isVoid(element)) open.push(element);
    } else {
      const depth = open.findLastIndex((element) => element.name === name);
      if (depth > 0) open.length = depth;
    }
  }
  return root;
}

const outerHtml = (element: HtmlElement): string =>
  isVoid(element) ? element.startTag : `${element.startTag}${innerHtml(element)}</${element.name}>`;

export function innerHtml({ children }: HtmlElement): string {
  return children.map((child) => (isElement(child) ? outerHtml(child) : child)).join("");
}

export function attributeOf({ startTag }: HtmlElement, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(startTag)?.[1];
  return value === undefined ? undefined : decodeEntities(value);
}

export const hasClass = (element: HtmlElement, name: string): boolean =>
  attributeOf(element, "class")?.split(" ").includes(name) ?? false;

/** All elements inside, at any depth, in document order. */
export function* descendants(element: HtmlElement): Generator<HtmlElement> {
  for (const child of element.children) {
    if (!isElement(child)) continue;
    yield child;
    yield* descendants(child);
  }
}

export const textContent = (node: HtmlNode): string =>
  isElement(node) ? node.children.map(textContent).join("") : decodeEntities(node);
