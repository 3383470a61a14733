/** A list may follow a line of text directly. The block rules want a blank line there, so one is put in. */
import { fenceOpening, isQuoteTag } from "./fence-opening.ts";

type Marker = "bullet" | "number" | undefined;

const listLine = /^ *(?:([*+-])|[0-9]\.) /;

function markerOf(line: string): Marker {
  const found = listLine.exec(line);
  if (found === null) return undefined;
  return found[1] === undefined ? "number" : "bullet";
}

/** The fences that are open, innermost last. */
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

/** Quick to say no: somewhere behind the first line stands something like a list's marker. */
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
