/** Formulas, typeset by the renderer in the context. */
import type { MarkdownContext } from "./context.ts";
import { escapeTex } from "./escape.ts";

export type MathRenderer = Pick<MarkdownContext, "renderMath">;

/** HTML of one formula, or `undefined` when it cannot be typeset. */
export function typeset(tex: string, displayMode: boolean, { renderMath }: MathRenderer): string | undefined {
  try {
    return renderMath?.(tex, displayMode).trim();
  } catch {
    return undefined;
  }
}

/** How many formulas of one message are typeset; the rest are shown as they were typed. */
const maxFormulas = 200;

/** Created once: thousands of formulas may exceed the limit, and capturing a stack trace for each would be slow. */
const tooMany = new RangeError("too many formulas in one message");

/** Enforces the limit for one message. */
export function limitFormulas(renderMath: NonNullable<MathRenderer["renderMath"]>): typeof renderMath {
  let count = 0;
  return (tex, displayMode) => {
    if (++count > maxFormulas) throw tooMany;
    return renderMath(tex, displayMode);
  };
}

const texError = (tex: string): string => `<span class="tex-error">${escapeTex(tex)}</span>`;

/** A fenced block of formulas, separated by blank lines. */
export function mathBlock(content: string, renderer: MathRenderer): string {
  const formulas = content.split("\n\n").map((tex) => typeset(tex, true, renderer) ?? texError(tex));
  return formulas.join("\n\n");
}
