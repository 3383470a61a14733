/** Formulas inside a line: `$$x$$`. */
import { isWordAt } from "../characters.ts";
import { typeset } from "../math.ts";
import { finalElement } from "../tree.ts";
import { type InlinePass, Replacer } from "./pattern.ts";

const firstOfFormula = /[^\n_$]/;

/** The end of the formula that begins at `start`: the first `$` that is not after a backslash. */
function endOfFormula(text: string, start: number): number | undefined {
  for (let index = start + 1; index < text.length; index++) {
    const character = text[index];
    if (character === "\n") return undefined;
    if (character === "\\" && text[index + 1] === "$") index++;
    else if (character === "$") {
      if (isClosing(text, index)) return index;
      // The `\$` in `\$$` may turn out not to be an escape.
      return text[index - 1] === "$" && isClosing(text, index - 1) ? index - 1 : undefined;
    }
  }
  return undefined;
}

const isClosing = (text: string, index: number): boolean =>
  text.startsWith("$$", index) && text[index + 2] !== "$" && !isWordAt(text, index + 2);

export const mathSpans: InlinePass = (text, rendering) => {
  const { pieces, html, context } = rendering;
  const replacer = new Replacer(text);
  for (let start = text.indexOf("$$"); start !== -1;) {
    const contentStart = start + 2;
    const mayStart =
      text[start - 1] !== "$" && !isWordAt(text, start - 1) && firstOfFormula.test(text[contentStart] ?? "$");
    const end = mayStart ? endOfFormula(text, contentStart) : undefined;
    if (end === undefined) {
      start = text.indexOf("$$", start + 1);
      continue;
    }
    const source = text.slice(start, end + 2);
    const rendered = typeset(pieces.sourceOf(text.slice(contentStart, end)), false, context);
    const piece = rendered === undefined ? finalElement("span", source, { class: "tex-error" }) : html.add(rendered);
    replacer.replace(start, end + 2, pieces.add(piece, source));
    start = text.indexOf("$$", end + 2);
  }
  return replacer.result;
};
