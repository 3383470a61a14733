/**
 * The only place where text becomes HTML. What comes from the server passes the dialect's allow-list all the same: a
 * fault there must not become one here. **Invariant:** nothing that this returns runs, and nothing loads or leads
 * anywhere but where docs/markdown.md says.
 */
import { allowedHtml, allowedMath, allowedSchemes } from "./allow-list.ts";
import type * as Purifier from "./purifier.ts";

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

/** As browsers have it; the compiler's library does not know it yet. */
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
  // Those named above are let through; without this all would be, and naming some an error.
  dataAttributes: false,
  comments: false,
});

let sanitizer: unknown;
let purifier: typeof Purifier | undefined;

/** Parsed here nothing loads before it has been judged. */
const workshop = document.implementation.createHTMLDocument("");

/** Resolved when `toFragment` can be used: at once where the browser sanitises by itself. */
export const insertReady: Promise<void> = canSetHtml(workshop.body)
  ? Promise.resolve()
  : import("./purifier.ts").then((loaded) => {
      purifier = loaded;
    });

/** Whether `toFragment` can be used now. */
export const canInsert = (): boolean => canSetHtml(workshop.body) || purifier !== undefined;

function parseMessage(html: string): ParentNode {
  const holder = workshop.createElement("div");
  if (canSetHtml(holder)) {
    sanitizer ??= new (globalThis as unknown as { Sanitizer: new (config: SanitizerRules) => unknown }).Sanitizer(
      rules(),
    );
    holder.setHTML(html, { sanitizer });
    return holder;
  }
  if (purifier === undefined) throw new Error("The purifier is not loaded yet");
  holder.append(purifier.purifyMessage(html));
  return holder;
}

/** A paragraph without markup or entities, which most messages are. */
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
  judge(holder);
  fragment.append(...holder.childNodes);
  return fragment;
}

/** Anything pasted, for reading alone: it is never shown. */
export async function parsePasted(html: string): Promise<ParentNode> {
  await insertReady;
  const holder = workshop.createElement("div");
  // Without a list everything stays that cannot run.
  if (canSetHtml(holder)) holder.setHTML(html, { sanitizer: {} });
  else if (purifier !== undefined) holder.append(purifier.purifyAnything(html));
  return holder;
}

function judge(root: ParentNode): void {
  for (const element of root.querySelectorAll(".katex-html")) element.remove();
  for (const element of root.querySelectorAll<HTMLElement>("[style]")) {
    if (!isAllowedStyle(element)) element.removeAttribute("style");
  }
  for (const link of root.querySelectorAll("a[href]")) judgeLink(link);
  for (const media of root.querySelectorAll("[src]")) {
    if (urlOf(media.getAttribute("src"))?.origin !== location.origin) media.removeAttribute("src");
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

function judgeLink(link: Element): void {
  const url = urlOf(link.getAttribute("href"));
  if (url === undefined || !allowedSchemes.has(url.protocol.slice(0, -1))) {
    link.removeAttribute("href");
    return;
  }
  if (url.origin === location.origin && url.pathname === location.pathname && url.hash !== "") return;
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer");
}
