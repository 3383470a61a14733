/** Splits a table's row at its pipes, except inside code spans and after a backslash. */

const tokens = /\\\\|\\(`+)|`+|\\\||\|/g;

/** A pipe at the end of a row, with the pairs of backslashes before it. */
const pipeAtEnd = /(?:^|[^\\])((?:\\\\)*\|)$/;

export const hasPipeAtEnd = (row: string): boolean => row.endsWith("|") && pipeAtEnd.test(row);

function withoutBorder(row: string): string {
  const inner = row.startsWith("|") ? row.slice(1) : row;
  const end = inner.endsWith("|") ? pipeAtEnd.exec(inner)?.[1] : undefined;
  return end === undefined ? inner : inner.slice(0, -end.length);
}

interface Backticks {
  start: number;
  end: number;
  /** The length of the run that closes this one. A backtick after a backslash does not count. */
  closedBy: number;
  length: number;
}

/** The code spans: each run of backticks up to the run that closes it, if there is one. */
function codeRegions(runs: readonly Backticks[]): { start: number; end: number }[] {
  const byLength = Map.groupBy(
    runs.map((run, index) => ({ run, index })),
    ({ run }) => run.length,
  );
  const regions: { start: number; end: number }[] = [];
  const passed = new Map<number, number>();
  for (let index = 0; index < runs.length;) {
    const opening = runs[index];
    if (opening === undefined) break;
    const candidates = byLength.get(opening.closedBy) ?? [];
    let next = passed.get(opening.closedBy) ?? 0;
    while ((candidates[next]?.index ?? Infinity) <= index) next++;
    passed.set(opening.closedBy, next);
    const closing = candidates[next];
    if (opening.closedBy > 0 && closing !== undefined) {
      regions.push({ start: opening.start, end: closing.run.end });
      index = closing.index + 1;
    } else {
      index++;
    }
  }
  return regions;
}

export function cellsOf(row: string, hasBorder: boolean): string[] {
  const inner = hasBorder ? withoutBorder(row) : row;
  const pipes: number[] = [];
  const runs: Backticks[] = [];
  for (const { 0: token, 1: escaped, index } of inner.matchAll(tokens)) {
    if (token === "|") pipes.push(index);
    else if (escaped !== undefined || token.startsWith("`")) {
      const length = escaped?.length ?? token.length;
      const closedBy = escaped === undefined ? length : length - 1;
      runs.push({ start: index, end: index + token.length, closedBy, length });
    }
  }
  const regions = codeRegions(runs);
  const cells: string[] = [];
  let start = 0;
  let region = 0;
  for (const pipe of pipes) {
    while ((regions[region]?.end ?? Infinity) <= pipe) region++;
    if (pipe > (regions[region]?.start ?? Infinity)) continue;
    cells.push(inner.slice(start, pipe));
    start = pipe + 1;
  }
  cells.push(inner.slice(start));
  return cells;
}
