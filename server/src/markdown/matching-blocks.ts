/**
 * Finds what two lists of words have in common by the Ratcliff-Obershelp algorithm: the longest run that both contain,
 * then the same again on either side of it.
 */

export interface Block {
  /** Its start in the old list and in the new one. */
  old: number;
  new: number;
  size: number;
}

/** In lists of at least this length, words that make up more than 1 % cannot start a run: they would match anywhere. */
const longList = 200;

/** How many word pairs to compare, a few milliseconds' work. Texts that share every other word would take forever. */
const maxPairs = 300_000;

/** Returns maximal blocks in order, without overlaps. When the budget runs out, the rest counts as different. */
export function matchingBlocks(before: readonly string[], after: readonly string[]): Block[] {
  const positions = positionsOf(after);
  const length = after.length + 1;
  const runs: Runs = { sizes: new Int32Array(length), rows: new Int32Array(length), row: 0, left: maxPairs };
  const found: Block[] = [];
  const open: Span[] = [{ oldFrom: 0, oldTo: before.length, newFrom: 0, newTo: after.length }];
  for (let span = open.pop(); span; span = open.pop()) {
    const block = longestBlock(before, after, positions, runs, span);
    if (block.size === 0) continue;
    found.push(block);
    open.push({ ...span, oldTo: block.old, newTo: block.new });
    open.push({ ...span, oldFrom: block.old + block.size, newFrom: block.new + block.size });
  }
  return joined(found.toSorted((a, b) => a.old - b.old || a.new - b.new));
}

interface Span {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

function positionsOf(words: readonly string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  words.forEach((word, index) => {
    const known = positions.get(word);
    if (known) known.push(index);
    else positions.set(word, [index]);
  });
  if (words.length >= longList) {
    const maxOccurrences = Math.floor(words.length / 100) + 1;
    for (const [word, indices] of positions) if (indices.length > maxOccurrences) positions.delete(word);
  }
  return positions;
}

/** For each position in the new list, the length of the run that ends before it, and the row in which it was found. */
interface Runs {
  sizes: Int32Array;
  rows: Int32Array;
  row: number;
  /** How many more pairs may be compared. */
  left: number;
}

function longestBlock(
  before: readonly string[],
  after: readonly string[],
  positions: ReadonlyMap<string, number[]>,
  runs: Runs,
  { oldFrom, oldTo, newFrom, newTo }: Span,
): Block {
  const { sizes, rows } = runs;
  let best: Block = { old: oldFrom, new: newFrom, size: 0 };
  let bestRow = 0;
  // Skipping a row invalidates the runs of other spans.
  runs.row++;
  for (let old = oldFrom; old < oldTo && runs.left > 0; old++) {
    const row = ++runs.row;
    const indices = positions.get(before[old] ?? "") ?? [];
    runs.left -= indices.length + 1;
    // Backwards, because this row overwrites the previous one while reading it.
    for (let at = indices.length - 1; at >= 0; at--) {
      const index = indices[at] ?? 0;
      if (index >= newTo) continue;
      if (index < newFrom) break;
      const size = rows[index] === row - 1 ? (sizes[index] ?? 0) + 1 : 1;
      sizes[index + 1] = size;
      rows[index + 1] = row;
      // The first of several equally long runs wins.
      if (size > best.size || (size === best.size && row === bestRow)) {
        best = { old: old - size + 1, new: index - size + 1, size };
        bestRow = row;
      }
    }
  }
  // Frequent words cannot start a run, but they extend an adjacent one.
  let { old: start, new: newStart, size } = best;
  while (start > oldFrom && newStart > newFrom && before[start - 1] === after[newStart - 1]) {
    start--;
    newStart--;
    size++;
  }
  while (start + size < oldTo && newStart + size < newTo && before[start + size] === after[newStart + size]) size++;
  return { old: start, new: newStart, size };
}

function joined(blocks: Block[]): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    const last = result.at(-1);
    if (last && last.old + last.size === block.old && last.new + last.size === block.new) last.size += block.size;
    else result.push({ ...block });
  }
  return result;
}
