/**
 * Extracts fenced blocks from the text, line by line. Code and formulas become stored HTML, replaced by a mark; quotes
 * become lines that begin with `> `; a spoiler's frame is stored, while its header and content are parsed as usual.
 */
import { trimEnd } from "./characters.ts";
import { fencedCode } from "./code-block.ts";
import type { MarkdownContext } from "./context.ts";
import { fenceOpening, isQuoteTag } from "./fence-opening.ts";
import type { StoredHtml } from "./marks.ts";
import { mathBlock } from "./math.ts";

interface OpenBlock {
  fence: string;
  lines: string[];
  /** Fences inside are blocks of their own. */
  holdsBlocks: boolean;
  defaultLanguage: string | undefined;
  finish: (lines: string[]) => string;
}

const spoilerStart = '<div class="spoiler-block"><div class="spoiler-header">';
const spoilerMiddle = '</div><div class="spoiler-content" aria-hidden="true">';
const spoilerEnd = "</div></div>";

/**
 * Deeper fences are ignored: each quote lengthens every line in it and costs the block rules another pass. Texts with
 * very many lines get a smaller limit.
 */
const maxDepthFor = (lineCount: number): number => Math.min(15, Math.max(2, Math.floor(30_000 / lineCount)));

class Fences {
  readonly #open: OpenBlock[] = [];
  readonly #output: string[] = [];
  readonly #html: StoredHtml;
  readonly #context: MarkdownContext;
  readonly #maxDepth: number;

  constructor(html: StoredHtml, context: MarkdownContext, lineCount: number) {
    this.#html = html;
    this.#context = context;
    this.#maxDepth = maxDepthFor(lineCount);
  }

  read(line: string): void {
    const block = this.#open.at(-1);
    if (block !== undefined && trimEnd(line) === block.fence) this.#close(block);
    else if (block === undefined) this.#readOutside(this.#output, line, this.#context.defaultCodeBlockLanguage);
    else if (block.holdsBlocks) this.#readOutside(block.lines, line, block.defaultLanguage);
    else block.lines.push(trimEnd(line));
  }

  /** The text without its fenced blocks. */
  end(): string {
    for (let block = this.#open.at(-1); block !== undefined; block = this.#open.at(-1)) this.#close(block);
    return `${this.#output.join("\n")}\n\n`;
  }

  #readOutside(lines: string[], line: string, defaultLanguage: string | undefined): void {
    const opening = this.#open.length < this.#maxDepth ? fenceOpening(line) : undefined;
    if (opening === undefined) {
      lines.push(line);
      return;
    }
    const { fence, tag = defaultLanguage || undefined, header } = opening;
    const open = (finish: OpenBlock["finish"], holdsBlocks: boolean, inner?: string) =>
      this.#open.push({ fence, lines: [], holdsBlocks, defaultLanguage: inner, finish });
    if (isQuoteTag(tag)) open(quoted, true, defaultLanguage);
    else if (tag === "spoiler") open((content) => this.#spoiler(header ?? "", content), true);
    else if (tag === "math") open((content) => this.#html.add(mathBlock(content.join("\n"), this.#context)), false);
    else open((content) => this.#html.add(fencedCode(content.join("\n"), tag, this.#context)), false);
  }

  #close(block: OpenBlock): void {
    this.#open.pop();
    if (block.lines.length === 0) return;
    const outside = this.#open.at(-1)?.lines ?? this.#output;
    outside.push("", ...block.finish(block.lines).split("\n"), "");
  }

  #spoiler(header: string, content: string[]): string {
    const pieces = [spoilerStart, spoilerMiddle, spoilerEnd].map((html) => this.#html.add(html));
    // The blank line at the end keeps the last piece alone in its paragraph, also at the end of a quote: next to
    // anything else it would stay inside a <p> and close the wrong elements.
    return [pieces[0], header, pieces[1], content.join("\n"), pieces[2], ""].join("\n\n");
  }
}

const quoted = (lines: string[]): string => lines.map((line) => `> ${line}`).join("\n");

export function extractFences(text: string, html: StoredHtml, context: MarkdownContext): string {
  if (!text.includes("```") && !text.includes("~~~")) return text;
  const lines = text.split("\n");
  const fences = new Fences(html, context, lines.length);
  for (const line of lines) fences.read(line);
  return fences.end();
}
