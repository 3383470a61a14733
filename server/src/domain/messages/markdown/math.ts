/**
 * Renders math in messages with KaTeX. Anybody may type a formula, so it must not take long: KaTeX needs up to 30 µs
 * per character, and far more where macro definitions multiply the text, so both are bounded.
 */
import { katex } from "./silent-katex.ts";

/** Maximum characters of math in one message; the rest is shown as typed. */
export const maxMathLength = 2000;
const maxExpansions = 1000;
/** In em, so that no formula can cover the page. */
const maxSize = 50;
const definition = /\\(?:[egx]?def|(?:re)?newcommand|providecommand)(?![a-zA-Z])/;

/** Made once, since there may be many formulas beyond the limit. */
const tooMuch = new RangeError("too much math in one message");

export type RenderMath = (tex: string, displayMode: boolean) => string;

/** A renderer for the formulas of one message. It throws for an invalid formula, or when there is too much math. */
export function mathRenderer(): RenderMath {
  let left = maxMathLength;
  return (tex, displayMode) => {
    left -= tex.length;
    if (left < 0) throw tooMuch;
    return katex.renderToString(tex, { displayMode, maxExpand: expansionsOf(tex), maxSize, strict: "ignore" }).trim();
  };
}

/** A macro defined in the formula can expand to the length of the whole formula each time it is used. */
const expansionsOf = (tex: string): number =>
  definition.test(tex) ? Math.floor(maxMathLength / tex.length) : maxExpansions;
