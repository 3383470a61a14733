/**
 * Rendered HTML as a list of words for comparison. Tags belong to the adjacent words and are not compared; the URL of a
 * link is a word of its own, and so is an image.
 */
import { escapeCode } from "./escape.ts";
import { attributeOf, isElement, isVoid, parseHtml, type HtmlElement, type HtmlNode } from "./html-tree.ts";

/** A tag or visible content. */
export interface Chunk {
  kind: "start" | "end" | "shown";
  /** Of the element; empty for visible content. */
  name: string;
  html: string;
}

export interface HtmlWord {
  /** What is compared. */
  text: string;
  html: string;
  /** The white space after it, unchanged. */
  space: string;
  before: Chunk[];
  after: Chunk[];
  /** The URL of a link, which is shown only where it differs. */
  isHidden: boolean;
}

export function htmlWords(html: string): HtmlWord[] {
  const words = new Words();
  words.addAll(parseHtml(html).children);
  return words.finish();
}

class Words {
  readonly #words: HtmlWord[] = [];
  /** Tags that precede the next word. */
  #tags: Chunk[] = [];

  addAll(nodes: readonly HtmlNode[]): void {
    nodes.forEach((node, index) => {
      if (isElement(node)) this.#addElement(node, nodes[index + 1]);
      else for (const [, word = "", space = ""] of node.matchAll(/(\S+)(\s*)/g)) this.#addWord(word, word, space);
    });
  }

  #addElement(element: HtmlElement, next: HtmlNode | undefined): void {
    const { name, startTag, children } = element;
    // White space between elements counts as one space.
    const space = typeof next === "string" && /^\s/.test(next) ? " " : "";
    if (name === "img") this.#addWord(`img: ${attributeOf(element, "src") ?? ""}`, startTag, "");
    else this.#tags.push({ kind: isVoid(element) ? "shown" : "start", name, html: startTag });
    if (isVoid(element)) {
      if (space !== "") this.#addEnd({ kind: "shown", name: "", html: space });
      return;
    }
    this.addAll(children);
    const href = name === "a" ? attributeOf(element, "href") : undefined;
    if (href !== undefined && href !== "") {
      const link = ` Link: ${escapeCode(href)}`;
      this.#addWord(link, link, " ", true);
    }
    this.#addEnd({ kind: "end", name, html: `</${name}>${space}` });
  }

  #addWord(text: string, html: string, space: string, isHidden = false): void {
    this.#words.push({ text, html, space, before: this.#tags, after: [], isHidden });
    this.#tags = [];
  }

  #addEnd(chunk: Chunk): void {
    const last = this.#words.at(-1);
    if (this.#tags.length > 0 || !last) this.#tags.push(chunk);
    else last.after.push(chunk);
  }

  finish(): HtmlWord[] {
    const last = this.#words.at(-1);
    if (last) last.after.push(...this.#tags);
    else this.#addWord("", "", "");
    return this.#words;
  }
}
