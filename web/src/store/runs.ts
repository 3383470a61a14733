/**
 * What is known of a list of messages: runs of ids without gaps, each end either known to be the end of the list or open.
 * Pure functions; nothing is mutated.
 *
 * **Invariant:** runs are in order and do not touch, and ids within them ascend. Only the first run can have its oldest end
 * known, only the last its newest.
 */
export interface Run {
  readonly ids: readonly number[];
  /** Nothing comes before it. */
  readonly hasOldest: boolean;
  /** Nothing comes after it: new messages belong here. */
  readonly hasNewest: boolean;
}

export type Runs = readonly Run[];

const first = (run: Run): number => run.ids[0] ?? Infinity;
const last = (run: Run): number => run.ids.at(-1) ?? -Infinity;

/** Index of the first id greater than or equal to this one, in ascending ids. */
export function indexOfId(ids: readonly number[], id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? Infinity) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Merges two ascending lists. Usually a page continues where a run ends and repeats its last message. */
function merge(a: readonly number[], b: readonly number[]): readonly number[] {
  const [low, high] = (a[0] ?? Infinity) <= (b[0] ?? Infinity) ? [a, b] : [b, a];
  const [from] = high;
  if (from === undefined) return low;
  const start = indexOfId(low, from);
  const beside = low.slice(start);
  const continues = beside.length === 0 || (beside.length === 1 && beside[0] === from);
  const rest = continues ? high : [...new Set([...beside, ...high])].toSorted((one, other) => one - other);
  return low.slice(0, start).concat(rest);
}

/** The runs with a fetched page added. */
export function addPage(runs: Runs, page: Run): Runs {
  // An empty page cannot tell which of several runs it is next to.
  if (page.ids.length === 0 && runs.length > 1) return runs;
  const isJoined = (run: Run): boolean => {
    if (run.ids.length === 0 || page.ids.length === 0) return true;
    const overlaps = first(run) <= last(page) && first(page) <= last(run);
    // Both reach the same end of the list, so one contains the start of the other.
    return overlaps || (run.hasOldest && page.hasOldest) || (run.hasNewest && page.hasNewest);
  };
  const joined = runs.filter(isJoined);
  const apart = runs.filter((run) => !isJoined(run));
  const merged: Run = {
    ids: joined.reduce((ids, run) => merge(ids, run.ids), page.ids),
    hasOldest: [page, ...joined].some((run) => run.hasOldest),
    hasNewest: [page, ...joined].some((run) => run.hasNewest),
  };
  return [...apart, merged].toSorted((a, b) => first(a) - first(b));
}

/** The runs with a new message added, if the newest end is known. */
export function addArrival(runs: Runs, id: number): Runs {
  const end = runs.at(-1);
  if (!end?.hasNewest || end.ids.includes(id)) return runs;
  const ids = id > last(end) ? [...end.ids, id] : [...end.ids, id].toSorted((a, b) => a - b);
  return [...runs.slice(0, -1), { ...end, ids }];
}

/** The runs with a message that was moved here, if it falls inside a run. */
export function insert(runs: Runs, id: number): Runs {
  const next = runs.map((run) => {
    const isWithin = (run.hasOldest || first(run) < id) && (run.hasNewest || id < last(run));
    if (!isWithin || run.ids.includes(id)) return run;
    return { ...run, ids: [...run.ids, id].toSorted((a, b) => a - b) };
  });
  return next.some((run, index) => run !== runs[index]) ? next : runs;
}

export function remove(runs: Runs, gone: ReadonlySet<number>): Runs {
  if (!runs.some((run) => run.ids.some((id) => gone.has(id)))) return runs;
  return runs
    .map((run) => ({ ...run, ids: run.ids.filter((id) => !gone.has(id)) }))
    .filter((run) => run.ids.length > 0 || (run.hasOldest && run.hasNewest));
}

/** The run that contains a message, or would. */
export const runAround = (runs: Runs, id: number): Run | undefined =>
  runs.find((run) => (run.hasOldest || first(run) <= id) && (run.hasNewest || id <= last(run)));

export const newestRun = (runs: Runs): Run | undefined => {
  const end = runs.at(-1);
  return end?.hasNewest ? end : undefined;
};
