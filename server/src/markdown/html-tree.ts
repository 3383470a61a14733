/**
 * Rendered messages read back: a small reader for HTML that is known to be well-formed, because we wrote it. Text and
 * start tags keep the very characters they have in the source.
 */

export interface HtmlElement {
  name: string;
  /** As in the source; empty for the root. */
  startTag: string;
  children: HtmlNode[];
}

export type HtmlNode = HtmlElement | string;

export const isElement = (node: HtmlNode | undefined): node is HtmlElement => typeof node === "object";

const voidElements: ReadonlySet<string> = new Set(["br", "col", "hr", "img", "input", "wbr"]);

/** Whether an element is its start tag alone. */
export const isVoid = ({ name, startTag }: Pick<HtmlElement, "name" | "startTag">): boolean =>
  voidElements.has(name) || startTag.endsWith("/>");

const anyPiece = /<(\/?)([a-z][a-z0-9-]*)[^>]*>|[^<]+|</g;

/** A root without a name around all there is. An end tag without its start is passed over. */
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

/** Everything inside, at any depth, in order. */
export function* descendants(element: HtmlElement): Generator<HtmlElement> {
  for (const child of element.children) {
    if (!isElement(child)) continue;
    yield child;
    yield* descendants(child);
  }
}

export const textContent = (node: HtmlNode): string =>
  isElement(node) ? node.children.map(textContent).join("") : decodeEntities(node);

const namedEntities: Record<string, string> = {
  amp: "&",
  apos: "'",
  copy: "©",
  gt: ">",
  hellip: "…",
  laquo: "«",
  lt: "<",
  mdash: "—",
  nbsp: "\u00A0",
  ndash: "–",
  quot: '"',
  raquo: "»",
  reg: "®",
  trade: "™",
};

/** The characters behind entities; a name that is not known stays as it is. */
export const decodeEntities = (text: string): string =>
  text.replaceAll(/&(?:#(\d+)|#[xX]([0-9a-fA-F]+)|([a-zA-Z0-9]+));/g, (entity, decimal, hex, name: string) => {
    if (decimal === undefined && hex === undefined) return namedEntities[name] ?? entity;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
