/**
 * What two lists of words have in common, after Ratcliff and Obershelp: the longest run that stands in both, then the
 * same again on either side of it.
 */

export interface Block {
  /** Where it begins in the old list and in the new one. */
  old: number;
  new: number;
  size: number;
}

/** From this length on, words that make up more than a hundredth no longer begin a run: they would match anywhere. */
const longList = 200;

/** How many pairs of words are looked at, a few milliseconds: texts that are alike in every other word have no end. */
const mostPairs = 300_000;

/** In order, as long as they can be, without overlaps. What is not found in time counts as different. */
export function matchingBlocks(before: readonly string[], after: readonly string[]): Block[] {
  const places = placesOf(after);
  const length = after.length + 1;
  const runs: Runs = { sizes: new Int32Array(length), rows: new Int32Array(length), row: 0, left: mostPairs };
  const found: Block[] = [];
  const open: Span[] = [{ oldFrom: 0, oldTo: before.length, newFrom: 0, newTo: after.length }];
  for (let span = open.pop(); span; span = open.pop()) {
    const block = longestBlock(before, after, places, runs, span);
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

function placesOf(words: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  words.forEach((word, index) => {
    const known = places.get(word);
    if (known) known.push(index);
    else places.set(word, [index]);
  });
  if (words.length >= longList) {
    const most = Math.floor(words.length / 100) + 1;
    for (const [word, indices] of places) if (indices.length > most) places.delete(word);
  }
  return places;
}

/** For each place in the new list, how long the run is that ends before it, and in which row that was found. */
interface Runs {
  sizes: Int32Array;
  rows: Int32Array;
  row: number;
  /** How many pairs may still be looked at. */
  left: number;
}

function longestBlock(
  before: readonly string[],
  after: readonly string[],
  places: ReadonlyMap<string, number[]>,
  runs: Runs,
  { oldFrom, oldTo, newFrom, newTo }: Span,
): Block {
  const { sizes, rows } = runs;
  let best: Block = { old: oldFrom, new: newFrom, size: 0 };
  let bestRow = 0;
  // A row between leaves what other spans have found behind.
  runs.row++;
  for (let old = oldFrom; old < oldTo && runs.left > 0; old++) {
    const row = ++runs.row;
    const indices = places.get(before[old] ?? "") ?? [];
    runs.left -= indices.length + 1;
    // Backwards, so that the row before can still be read while this one is written over it.
    for (let at = indices.length - 1; at >= 0; at--) {
      const index = indices[at] ?? 0;
      if (index >= newTo) continue;
      if (index < newFrom) break;
      const size = rows[index] === row - 1 ? (sizes[index] ?? 0) + 1 : 1;
      sizes[index + 1] = size;
      rows[index + 1] = row;
      // Of equal ones the first counts.
      if (size > best.size || (size === best.size && row === bestRow)) {
        best = { old: old - size + 1, new: index - size + 1, size };
        bestRow = row;
      }
    }
  }
  // Frequent words begin no run, but belong to the one they stand beside.
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
