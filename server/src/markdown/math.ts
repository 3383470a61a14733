/** Formulas, typeset by what the context brings along. */
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

/** So many formulas of one message are typeset; further ones are shown as they were typed. */
const mostFormulas = 200;

/** Counts the formulas of one message. */
export function limitFormulas(renderMath: NonNullable<MathRenderer["renderMath"]>): typeof renderMath {
  let count = 0;
  return (tex, displayMode) => {
    if (++count > mostFormulas) throw new RangeError("too many formulas in one message");
    return renderMath(tex, displayMode);
  };
}

const texError = (tex: string): string => `<span class="tex-error">${escapeTex(tex)}</span>`;

/** A fenced block of formulas, separated by blank lines. */
export function mathBlock(content: string, renderer: MathRenderer): string {
  const formulas = content.split("\n\n").map((tex) => typeset(tex, true, renderer) ?? texError(tex));
  return formulas.join("\n\n");
}
