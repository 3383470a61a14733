/** Converts a rendered message to plain text, for notifications. */
import { fromEmojiCode } from "./emoji.ts";
import { decodeEntities } from "./entities.ts";
import {
  attributeOf,
  descendants,
  hasClass,
  isElement,
  parseHtml,
  textContent,
  type HtmlElement,
  type HtmlNode,
} from "./html-tree.ts";

/** The whole text. If a message contains both quotes and other text, each run of quotes is collapsed. */
export function textOf(html: string): string {
  const root = parseHtml(html);
  return textOfAll(collapseQuotes(root.children), 0);
}

export const maxNotificationLength = 200;

/** The text, truncated for a notification. */
export function notificationText(html: string): string {
  const characters = Array.from(textOf(html));
  if (characters.length <= maxNotificationLength) return characters.join("");
  return `${characters.slice(0, maxNotificationLength).join("")}…`;
}

const collapsedQuotes = "[…]";

function collapseQuotes(nodes: HtmlNode[]): HtmlNode[] {
  const elements = nodes.filter(isElement);
  if (elements.every(isPartOfQuote) || !elements.some(isPartOfQuote)) return nodes;
  const shown: HtmlNode[] = [];
  let previous: HtmlElement | undefined;
  let isAfterFirst = false;
  for (const node of nodes) {
    if (isElement(node)) {
      const isFirst = isPartOfQuote(node) && !(previous && isPartOfQuote(previous));
      if (isFirst) shown.push(collapsedQuotes);
      else if (!isPartOfQuote(node)) shown.push(node);
      previous = node;
      isAfterFirst = isFirst;
    } else if (!isAfterFirst) shown.push(node);
  }
  return shown;
}

/** A quote, or the line that names its author: a mention, a link to a message, and a colon. */
function isPartOfQuote(element: HtmlElement): boolean {
  if (element.name === "blockquote") return true;
  const inside = [...descendants(element)];
  const mentions = inside.filter((one) => hasClass(one, "user-mention"));
  const links = inside.filter((one) => one.name === "a" && isMessageLink(attributeOf(one, "href") ?? ""));
  const [mention, ...otherMentions] = mentions;
  const [link, ...otherLinks] = links;
  if (!mention || !link || otherMentions.length > 0 || otherLinks.length > 0) return false;
  const rest = textContent(element).replace(textContent(mention), "").replace(textContent(link), "");
  return rest.trim() === ":";
}

const isMessageLink = (href: string): boolean => /^\/?#narrow\/.*\/near\/\d+/.test(href);

/** What follows a numbered list or a spoiler directly is the line break of the source, which they bring themselves. */
function textOfAll(nodes: readonly HtmlNode[], depth: number): string {
  return nodes
    .map((node, index) => {
      if (isElement(node)) return textOfElement(node, depth);
      const before = nodes[index - 1];
      return isElement(before) && (before.name === "ol" || isSpoiler(before)) ? "" : decodeEntities(node);
    })
    .join("");
}

const isSpoiler = (element: HtmlElement): boolean => hasClass(element, "spoiler-block");

/** `depth` is the number of enclosing numbered lists. */
function textOfElement(element: HtmlElement, depth: number): string {
  const { name, children } = element;
  if (hasClass(element, "emoji")) return textOfEmoji(element);
  if (name === "img") return attributeOf(element, "alt") ?? "";
  if (hasClass(element, "katex")) return `$$${sourceOfMath(element)}$$`;
  if (name === "ol") return textOfNumberedList(element, depth);
  if (isSpoiler(element)) return textOfSpoiler(element, depth);
  if (name === "blockquote") return quoted(textOfAll(children, depth));
  return textOfAll(children, depth);
}

function textOfEmoji(element: HtmlElement): string {
  const code = /\bemoji-(\S+)/.exec(attributeOf(element, "class") ?? "")?.[1];
  return code === undefined ? (attributeOf(element, "alt") ?? "") : fromEmojiCode(code);
}

function sourceOfMath(element: HtmlElement): string {
  const source = descendants(element).find(({ name }) => name === "annotation");
  return source ? textContent(source) : "";
}

function textOfNumberedList(list: HtmlElement, depth: number): string {
  const first = Number(attributeOf(list, "start") ?? 1);
  const indent = depth === 0 ? "" : `\n${"  ".repeat(depth)}`;
  return list.children
    .filter(isElement)
    .map((item, index) => `${indent}${first + index}. ${textOfAll(item.children, depth + 1).trim()}`)
    .join("\n");
}

function textOfSpoiler(spoiler: HtmlElement, depth: number): string {
  const header = spoiler.children.filter(isElement).find((child) => hasClass(child, "spoiler-header"));
  const text = header ? textOfAll(header.children, depth).trim() : "";
  return text === "" ? "(…)\n" : `${text} (…)\n`;
}

const quoted = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `> ${line}\n`)
    .join("");
