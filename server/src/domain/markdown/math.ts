/**
 * Math in messages, by KaTeX. What anybody may type must not take long: KaTeX needs up to 30 µs for a character, and far
 * more where definitions multiply it, so both are bounded.
 */
import { katex } from "./silent-katex.ts";

/** Characters of math in one message; more of it is shown as it was typed. */
export const maxMathLength = 2000;
const maxExpansions = 1000;
/** Lengths in em; no formula may cover the page. */
const maxSize = 50;
const definition = /\\(?:[egx]?def|(?:re)?newcommand|providecommand)(?![a-zA-Z])/;

export type RenderMath = (tex: string, displayMode: boolean) => string;

/** A renderer for the formulas of one message. It throws for one that is wrong, or too much. */
export function mathRenderer(): RenderMath {
  let left = maxMathLength;
  return (tex, displayMode) => {
    left -= tex.length;
    if (left < 0) throw new RangeError("too much math in one message");
    return katex.renderToString(tex, { displayMode, maxExpand: expansionsOf(tex), maxSize, strict: "ignore" }).trim();
  };
}

/** What a macro defined here stands for can be as long as the formula itself, each time it is used. */
const expansionsOf = (tex: string): number =>
  definition.test(tex) ? Math.floor(maxMathLength / tex.length) : maxExpansions;
