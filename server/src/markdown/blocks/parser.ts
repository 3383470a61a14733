/**
 * The interface between the parser and the block rules. Text is split into blocks at blank lines. The first rule that
 * applies to a block takes it, and may return a rest to be parsed next.
 */
import type { Element } from "../tree.ts";

/** The innermost enclosing construct, which decides how a paragraph is represented. */
export type NestingState = "none" | "list" | "looselist" | "blockquote" | "detabbed";

export interface BlockParser {
  /** The innermost state. */
  readonly state: NestingState;
  readonly silenceMentions: (line: string) => string;
  /** Parses a text that may contain blank lines. */
  parseText(parent: Element, text: string): void;
  /** Parses a text that is one block. */
  parseBlock(parent: Element, block: string): void;
  /** Whether this many more lines may be quoted. Every level of a quote counts all lines in it. */
  mayQuote(lines: number): boolean;
  /** Runs `parse` in another state. */
  inState(state: NestingState, parse: () => void): void;
}

/**
 * Takes the block when it applies. Returns the rest of the block (possibly the empty string), or `undefined` when the
 * rule does not apply.
 */
export type BlockRule = (parser: BlockParser, parent: Element, block: string) => string | undefined;
