/**
 * The only place where text becomes HTML. HTML from the server still passes the allow-list: a bug there must not become one
 * here. **Invariant:** nothing returned here runs, and nothing loads or links anywhere except where docs/markdown.md
 * says.
 */
import { isPicturePath } from "@skein/api/picture-paths.ts";
import { allowedHtml, allowedMath, allowedSchemes } from "./allow-list.ts";
import { setMessage, setPasted } from "./sanitize.ts";

interface SanitizerElement {
  name: string;
  namespace?: string;
  attributes: readonly string[];
}

interface SanitizerRules {
  elements?: SanitizerElement[];
  attributes?: string[];
  dataAttributes?: boolean;
  comments?: boolean;
}

/** As in browsers; TypeScript's library does not have it yet. */
interface SettingHtml extends Element {
  setHTML: (html: string, options: { sanitizer: unknown }) => void;
}

const canSetHtml = (element: Element): element is SettingHtml => "setHTML" in element;

const mathNamespace = "http://www.w3.org/1998/Math/MathML";

const rules = (): SanitizerRules => ({
  elements: [
    ...Object.entries(allowedHtml).map(([name, attributes]) => ({ name, attributes })),
    ...Object.entries(allowedMath).map(([name, attributes]) => ({ name, namespace: mathNamespace, attributes })),
  ],
  attributes: [],
  // Allows the elements listed above; without it all would be allowed, and listing some would be an error.
  dataAttributes: false,
  comments: false,
});

let sanitizer: unknown;

/** Nothing in this document loads before it has been checked. */
const inertDocument = document.implementation.createHTMLDocument("");

function parseMessage(html: string): ParentNode {
  const holder = inertDocument.createElement("div");
  if (!canSetHtml(holder)) {
    setMessage(holder, html);
    return holder;
  }
  sanitizer ??= new (globalThis as unknown as { Sanitizer: new (config: SanitizerRules) => unknown }).Sanitizer(
    rules(),
  );
  holder.setHTML(html, { sanitizer });
  return holder;
}

/** A paragraph without markup or entities, like most messages. */
const plainParagraph = /^<p>([^<&]*)<\/p>$/;

export function toFragment(html: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const plain = plainParagraph.exec(html)?.[1];
  if (plain !== undefined) {
    const paragraph = document.createElement("p");
    paragraph.textContent = plain;
    fragment.append(paragraph);
    return fragment;
  }
  const holder = parseMessage(html);
  check(holder);
  fragment.append(...holder.childNodes);
  return fragment;
}

/** Parses pasted HTML for reading only; it is never shown. */
export function parsePasted(html: string): ParentNode {
  const holder = inertDocument.createElement("div");
  // Without an allow-list, everything that cannot run stays.
  if (canSetHtml(holder)) holder.setHTML(html, { sanitizer: {} });
  else setPasted(holder, html);
  return holder;
}

function check(root: ParentNode): void {
  for (const element of root.querySelectorAll(".katex-html")) element.remove();
  for (const element of root.querySelectorAll<HTMLElement>("[style]")) {
    if (!isAllowedStyle(element)) element.removeAttribute("style");
  }
  for (const link of root.querySelectorAll("a[href]")) checkLink(link);
  for (const media of root.querySelectorAll("[src]")) {
    const url = urlOf(media.getAttribute("src"));
    if (url?.origin !== location.origin || !isPicturePath(url.pathname)) media.removeAttribute("src");
  }
}

const alignment = /^text-align: ?(?:left|right|center);?$/;
const proxiedPicture = /^background-image: url\("\/external_content\/[^"\\]*"\)$/;

function isAllowedStyle(element: HTMLElement): boolean {
  const style = element.getAttribute("style") ?? "";
  return element.localName === "a" ? proxiedPicture.test(style) : alignment.test(style);
}

function urlOf(address: string | null): URL | undefined {
  return address === null ? undefined : (URL.parse(address, document.baseURI) ?? undefined);
}

function checkLink(link: Element): void {
  const url = urlOf(link.getAttribute("href"));
  if (url === undefined || !allowedSchemes.has(url.protocol.slice(0, -1))) {
    link.removeAttribute("href");
    return;
  }
  if (url.origin === location.origin && url.pathname === location.pathname && url.hash !== "") return;
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer");
}
