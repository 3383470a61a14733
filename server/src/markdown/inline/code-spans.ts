/** Code between runs of backticks of equal length. */
import { escapeCode } from "../escape.ts";
import { finalElement } from "../tree.ts";
import { type InlinePass, Replacer } from "./pattern.ts";

interface Run {
  start: number;
  length: number;
}

/** The runs by length. Each list is read in order, once. */
class RunsByLength {
  readonly #starts = new Map<number, { starts: number[]; next: number }>();

  add({ start, length }: Run): void {
    const list = this.#starts.get(length);
    if (list === undefined) this.#starts.set(length, { starts: [start], next: 0 });
    else list.starts.push(start);
  }

  /** The first run of this length at or after `from`. Calls must come in ascending order of `from`. */
  find(length: number, from: number): number | undefined {
    const list = this.#starts.get(length);
    if (list === undefined) return undefined;
    while ((list.starts[list.next] ?? Infinity) < from) list.next++;
    return list.starts[list.next];
  }
}

function findRuns(text: string): Run[] {
  const runs: Run[] = [];
  for (let start = text.indexOf("`"); start !== -1;) {
    let end = start + 1;
    while (text[end] === "`") end++;
    runs.push({ start, length: end - start });
    start = text.indexOf("`", end);
  }
  return runs;
}

function backslashesBefore(text: string, index: number): number {
  let count = 0;
  while (text[index - 1 - count] === "\\") count++;
  return count;
}

export const codeSpans: InlinePass = (text, { pieces }) => {
  const runs = findRuns(text);
  const byLength = new RunsByLength();
  for (const run of runs) byLength.add(run);
  const replacer = new Replacer(text);
  let done = 0;
  for (const run of runs) {
    if (run.start < done) continue;
    const backslashes = backslashesBefore(text, run.start);
    const isEscaped = backslashes % 2 === 1;
    if (backslashes > 0 && !isEscaped) {
      const source = text.slice(run.start - backslashes, run.start);
      replacer.replace(run.start - backslashes, run.start, pieces.add("\\".repeat(backslashes / 2), source));
    }
    const start = isEscaped ? run.start + 1 : run.start;
    const runEnd = run.start + run.length;
    // A run without a match may open code with fewer of its backticks; the others then belong to the code.
    for (let length = runEnd - start; length > 0; length--) {
      const closing = byLength.find(length, runEnd);
      if (closing === undefined) continue;
      done = closing + length;
      const code = finalElement("code", escapeCode(text.slice(start + length, closing)));
      replacer.replace(start, done, pieces.add(code, text.slice(start, done)));
      break;
    }
  }
  return replacer.result;
};
