/**
 * A rendered message as a mail can show it: few elements, no classes, no remote content, absolute URLs. Spoilers stay
 * collapsed, pictures become links, formulas are shown as source.
 */
import { fromEmojiCode } from "../../../markdown/emoji.ts";
import { decodeEntities } from "../../../markdown/entities.ts";
import {
  attributeOf,
  descendants,
  hasClass,
  isElement,
  parseHtml,
  textContent,
  type HtmlElement,
  type HtmlNode,
} from "../../../markdown/html-tree.ts";
import { markup, type Html } from "../../../platform/markup.ts";

/** `siteUrl` is the organization's URL, which relative links are resolved against. */
export function quotedHtml(rendered: string, siteUrl: string): Html {
  const root = parseHtml(rendered);
  const inPreviews = new Set(
    descendants(root)
      .filter(isPreview)
      .flatMap((preview) => [...descendants(preview)]),
  );
  const inText = descendants(root).filter((one) => one.name === "a" && !inPreviews.has(one));
  return new Quoting(siteUrl, new Set(inText.map((link) => attributeOf(link, "href")))).all(root.children);
}

const isPreview = (element: HtmlElement): boolean =>
  element.name === "div" &&
  /\b(?:message_inline_|message_embed|inline-preview)/.test(attributeOf(element, "class") ?? "");

const plainElements: Readonly<Record<string, (inside: Html) => Html>> = {
  p: (inside) => markup`<p>${inside}</p>`,
  strong: (inside) => markup`<strong>${inside}</strong>`,
  em: (inside) => markup`<em>${inside}</em>`,
  del: (inside) => markup`<del>${inside}</del>`,
  code: (inside) => markup`<code>${inside}</code>`,
  pre: (inside) => markup`<pre>${inside}</pre>`,
  blockquote: (inside) => markup`<blockquote>${inside}</blockquote>`,
  ul: (inside) => markup`<ul>${inside}</ul>`,
  ol: (inside) => markup`<ol>${inside}</ol>`,
  li: (inside) => markup`<li>${inside}</li>`,
  h1: (inside) => markup`<h3>${inside}</h3>`,
  h2: (inside) => markup`<h3>${inside}</h3>`,
  h3: (inside) => markup`<h3>${inside}</h3>`,
  h4: (inside) => markup`<h4>${inside}</h4>`,
  h5: (inside) => markup`<h5>${inside}</h5>`,
  h6: (inside) => markup`<h6>${inside}</h6>`,
  table: (inside) => markup`<table>${inside}</table>`,
  thead: (inside) => markup`<thead>${inside}</thead>`,
  tbody: (inside) => markup`<tbody>${inside}</tbody>`,
  tr: (inside) => markup`<tr>${inside}</tr>`,
  th: (inside) => markup`<th>${inside}</th>`,
  td: (inside) => markup`<td>${inside}</td>`,
};

class Quoting {
  readonly #siteUrl: string;
  readonly #inText: ReadonlySet<string | undefined>;

  constructor(siteUrl: string, inText: ReadonlySet<string | undefined>) {
    this.#siteUrl = siteUrl;
    this.#inText = inText;
  }

  all(nodes: readonly HtmlNode[]): Html {
    return nodes.map((node) => this.#one(node)).reduce((before, next) => markup`${before}${next}`, markup``);
  }

  #one(node: HtmlNode): Html {
    if (!isElement(node)) return markup`${decodeEntities(node)}`;
    if (hasClass(node, "emoji")) return markup`${emojiText(node)}`;
    if (hasClass(node, "katex")) return markup`<code>${sourceOfMath(node)}</code>`;
    if (hasClass(node, "spoiler-block")) return this.#spoiler(node);
    if (isPreview(node)) return this.#preview(node);
    const { name, children } = node;
    if (name === "br") return markup`<br>`;
    if (name === "hr") return markup`<hr>`;
    if (name === "img") return markup`${attributeOf(node, "alt") ?? ""}`;
    if (name === "a") return this.#link(node, this.all(children));
    const inside = this.all(children);
    return plainElements[name]?.(inside) ?? inside;
  }

  #link(element: HtmlElement, label: Html): Html {
    const url = URL.parse(attributeOf(element, "href") ?? "", this.#siteUrl);
    if (!url || !/^(?:https?|mailto):$/.test(url.protocol)) return label;
    return markup`<a href="${url.href}">${label}</a>`;
  }

  /** Shows the heading only: the content is not meant to be seen at once. */
  #spoiler(element: HtmlElement): Html {
    const header = element.children.filter(isElement).find((child) => hasClass(child, "spoiler-header"));
    const text = header ? textContent(header).trim() : "";
    return markup`<p>${text === "" ? "(…)" : `${text} (…)`}</p>`;
  }

  /** Omits the preview of a link that is in the text; otherwise shows the preview's link. */
  #preview(element: HtmlElement): Html {
    const link = descendants(element).find((one) => one.name === "a");
    const href = link && attributeOf(link, "href");
    if (!link || href === undefined || this.#inText.has(href)) return markup``;
    const label = attributeOf(link, "title") ?? "";
    return markup`<p>${this.#link(link, markup`${label === "" ? href : label}`)}</p>`;
  }
}

function emojiText(element: HtmlElement): string {
  const code = /\bemoji-([0-9a-f-]+)/.exec(attributeOf(element, "class") ?? "")?.[1];
  return code === undefined ? (attributeOf(element, "alt") ?? textContent(element)) : fromEmojiCode(code);
}

function sourceOfMath(element: HtmlElement): string {
  const source = descendants(element).find(({ name }) => name === "annotation");
  return source ? textContent(source) : "";
}
