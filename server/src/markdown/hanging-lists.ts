/** A list may directly follow a line of text. The block rules need a blank line between them, so one is inserted. */
import { fenceOpening, isQuoteTag } from "./fence-opening.ts";

type Marker = "bullet" | "number" | undefined;

const listLine = /^ *(?:([*+-])|[0-9]\.) /;

function markerOf(line: string): Marker {
  const found = listLine.exec(line);
  if (found === null) return undefined;
  return found[1] === undefined ? "number" : "bullet";
}

/** The open fences, innermost last. */
class OpenFences {
  readonly #fences: { fence: string; isCode: boolean }[] = [];

  read(line: string): void {
    const opening = fenceOpening(line);
    if (opening === undefined) return;
    if (opening.tag === undefined && this.#fences.at(-1)?.fence === opening.fence) this.#fences.pop();
    else this.#fences.push({ fence: opening.fence, isCode: !isQuoteTag(opening.tag) });
  }

  get isInCode(): boolean {
    return this.#fences.some(({ isCode }) => isCode);
  }
}

/** A fast pre-check: some line after the first begins like a list item. */
const mayHoldList = /\n *(?:[*+-]|[0-9]\.) /;

export function separateHangingLists(text: string): string {
  if (!mayHoldList.test(text)) return text;
  const lines = text.split("\n");
  const separated: string[] = [];
  const fences = new OpenFences();
  for (const [index, line] of lines.entries()) {
    separated.push(line);
    fences.read(line);
    const next = lines[index + 1];
    if (next === undefined || line === "" || fences.isInCode) continue;
    const marker = markerOf(next);
    if (marker !== undefined && marker !== markerOf(line)) separated.push("");
  }
  return separated.join("\n");
}
