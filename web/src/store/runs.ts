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

/** The runs with a fetched page added. Within its range the page is right: what it does not contain is gone. */
export function addPage(runs: Runs, page: Run): Runs {
  if (page.ids.length === 0 && page.hasOldest && page.hasNewest) return [page];
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
  return [...apart, joinedBy(page, joined)].toSorted((a, b) => first(a) - first(b));
}

function joinedBy(page: Run, runs: Runs): Run {
  const from = page.hasOldest ? -Infinity : first(page);
  const to = page.hasNewest ? Infinity : last(page);
  const before = runs.flatMap(({ ids }) => ids.slice(0, indexOfId(ids, from)));
  const after = page.ids.length === 0 ? [] : runs.flatMap(({ ids }) => ids.slice(indexOfId(ids, to + 1)));
  return {
    ids: before.concat(page.ids, after),
    hasOldest: page.hasOldest || runs.some((run) => run.hasOldest && first(run) <= from),
    hasNewest: page.hasNewest || runs.some((run) => run.hasNewest && last(run) >= to),
  };
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

/** Which ids came into a list, and which went. A list may be long, and most changes are at one end. */
export function changedIds(before: Runs, after: Runs): { added: readonly number[]; gone: readonly number[] } {
  if (before === after) return { added: [], gone: [] };
  const old = idsOf(before.filter((run) => !after.includes(run)));
  const now = idsOf(after.filter((run) => !before.includes(run)));
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const oldRest = new Set(old.slice(start, old.length - end));
  const newRest = new Set(now.slice(start, now.length - end));
  return { added: [...newRest.difference(oldRest)], gone: [...oldRest.difference(newRest)] };
}

const idsOf = (runs: Runs): readonly number[] =>
  runs.length === 1 ? (runs[0]?.ids ?? []) : runs.flatMap(({ ids }) => ids);
