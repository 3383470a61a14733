/** Parses text without fences to a tree. */
import { Element } from "../tree.ts";
import { emptyBlock } from "./empty.ts";
import { heading } from "./headings.ts";
import { indentedCodeBlock } from "./indented-code.ts";
import { indentedUnderList } from "./list-indent.ts";
import { bulletedList, numberedList } from "./lists.ts";
import { paragraph } from "./paragraphs.ts";
import type { BlockParser, BlockRule, NestingState } from "./parser.ts";
import { quote } from "./quotes.ts";
import { rule } from "./rules.ts";
import { table } from "./tables.ts";

const rules: readonly BlockRule[] = [
  emptyBlock,
  indentedUnderList,
  indentedCodeBlock,
  heading,
  table,
  rule,
  numberedList,
  bulletedList,
  quote,
];
const rulesWithoutIndentedCode = rules.filter((each) => each !== indentedCodeBlock);

/** More deeply nested text is taken literally. */
const maxDepth = 100;
/** So are quotes that are both deeply nested and long. */
const maxQuotedLines = 30_000;

class Parser implements BlockParser {
  readonly silenceMentions: (line: string) => string;
  readonly #rules: readonly BlockRule[];
  readonly #states: NestingState[] = ["none"];
  #depth = 0;
  #quotedLines = 0;

  constructor(rulesInOrder: readonly BlockRule[], silenceMentions: (line: string) => string) {
    this.#rules = rulesInOrder;
    this.silenceMentions = silenceMentions;
  }

  get state(): NestingState {
    return this.#states.at(-1) ?? "none";
  }

  mayQuote(lines: number): boolean {
    this.#quotedLines += lines;
    return this.#quotedLines <= maxQuotedLines;
  }

  inState(state: NestingState, parse: () => void): void {
    this.#states.push(state);
    parse();
    this.#states.pop();
  }

  parseText(parent: Element, text: string): void {
    for (const block of text.split("\n\n")) this.parseBlock(parent, block);
  }

  parseBlock(parent: Element, block: string): void {
    this.#depth++;
    if (this.#depth > maxDepth) paragraph(this, parent, block);
    else this.#parseRest(parent, block);
    this.#depth--;
  }

  #parseRest(parent: Element, block: string): void {
    let rest = block;
    let hasNoHeading = false;
    do {
      let applied: string | undefined;
      for (const each of this.#rules) {
        if (each === heading && hasNoHeading) continue;
        applied = each(this, parent, rest);
        if (applied !== undefined) break;
        // The rule has searched every line for a heading, so the rest of the block has none either.
        if (each === heading) hasNoHeading = true;
      }
      rest = applied ?? paragraph(this, parent, rest);
    } while (rest !== "");
  }
}

export interface BlockOptions {
  withIndentedCode: boolean;
  silenceMentions: (line: string) => string;
}

export function parseBlocks(text: string, { withIndentedCode, silenceMentions }: BlockOptions): Element {
  const root = new Element("div");
  new Parser(withIndentedCode ? rules : rulesWithoutIndentedCode, silenceMentions).parseText(root, text);
  return root;
}
