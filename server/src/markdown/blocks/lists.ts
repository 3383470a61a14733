/** Lists: `* a` or `1. a`, nested by two spaces. Items are tight unless a blank line separates them. */
import { trimStart } from "../characters.ts";
import { Element, isList } from "../tree.ts";
import type { BlockParser, BlockRule } from "./parser.ts";

interface Kind {
  tag: "ul" | "ol";
  /** A line that begins an item, and its text. */
  item: RegExp;
}

const bulleted: Kind = { tag: "ul", item: /^ ?[*+-] +([^\n]*)/ };
const numbered: Kind = { tag: "ol", item: /^ ?[0-9]+\. +([^\n]*)/ };
const nestedItem = /^ {2,3}(?:[0-9]+\.|[*+-]) /;
const firstNumber = /[0-9]+/;

export const itemIndent = "  ";

/** The items' texts; one that begins with the indent belongs to the item before it. */
function itemsOf(block: string, kind: Kind): string[] {
  const items: string[][] = [];
  for (const line of block.split("\n")) {
    const item = kind.item.exec(line);
    const current = items.at(-1);
    if (item !== null) items.push([item[1] ?? ""]);
    else if (current === undefined) items.push([line]);
    else if (nestedItem.test(line) && current[0]?.startsWith(itemIndent) !== true) items.push([line]);
    else current.push(line);
  }
  return items.map((lines) => lines.join("\n"));
}

/** Wraps an item's bare text in a paragraph, because a blank line follows it. */
export function makeLoose(item: Element): void {
  if (item.text === "") return;
  item.children.unshift(new Element("p", item.text));
  item.text = "";
}

function loosenWithTail(item: Element): void {
  makeLoose(item);
  const last = item.lastChild;
  if (last === undefined || last.tail === "") return;
  item.append(new Element("p", trimStart(last.tail)));
  last.tail = "";
}

const newItem = (list: Element): Element => list.append(new Element("li"));

function parseItems(parser: BlockParser, list: Element, items: readonly string[]): void {
  parser.inState("list", () => {
    for (const item of items) {
      const isNested = item.startsWith(itemIndent);
      parser.parseBlock((isNested ? list.lastChild : undefined) ?? newItem(list), item);
    }
  });
}

function startList(parent: Element, kind: Kind, block: string): Element {
  const start = kind === numbered ? firstNumber.exec(block)?.[0] : undefined;
  return parent.append(new Element(kind.tag, "", false, start === undefined || start === "1" ? undefined : { start }));
}

const listRule =
  (kind: Kind): BlockRule =>
  (parser, parent, block) => {
    if (!kind.item.test(block)) return undefined;
    const items = itemsOf(block, kind);
    const previous = parent.lastChild;
    if (previous?.tag === kind.tag) {
      if (previous.lastChild !== undefined) loosenWithTail(previous.lastChild);
      const [first = "", ...others] = items;
      const item = newItem(previous);
      parser.inState("looselist", () => parser.parseBlock(item, first));
      parseItems(parser, previous, others);
    } else {
      parseItems(parser, isList(parent) ? parent : startList(parent, kind, block), items);
    }
    return "";
  };

export const bulletedList = listRule(bulleted);
export const numberedList = listRule(numbered);
