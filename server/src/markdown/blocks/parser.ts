/**
 * The block rules share this. Text is cut at blank lines into blocks; for the first block the first rule that applies
 * takes it, and may put text back in front.
 */
import type { Element } from "../tree.ts";

/** What the innermost surroundings are; decides how a paragraph is written down. */
export type NestingState = "none" | "list" | "looselist" | "blockquote" | "detabbed";

export interface BlockParser {
  /** What is on top of the nesting. */
  readonly state: NestingState;
  readonly silenceMentions: (line: string) => string;
  /** Parses a text that may hold blank lines. */
  parseText(parent: Element, text: string): void;
  /** Parses a text that is one block. */
  parseBlock(parent: Element, block: string): void;
  /** Whether so many more lines may be quoted. Every level of a quote counts all lines in it. */
  mayQuote(lines: number): boolean;
  /** Runs `parse` with another state on top. */
  inState(state: NestingState, parse: () => void): void;
}

/**
 * Takes the block when it applies. The answer is what remains of the block (perhaps nothing: the empty string), or
 * `undefined` when the rule does not apply.
 */
export type BlockRule = (parser: BlockParser, parent: Element, block: string) => string | undefined;
