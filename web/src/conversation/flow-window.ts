/**
 * Which rows of a long list exist in the page: up to 120 in normal flow, moved by 24. Bounds are ids, so that rows which
 * come or go elsewhere in the list change nothing. Pure.
 */
import type { Row } from "./rows.ts";

export const maxRows = 120;
export const step = 24;

/** Both included. Infinity as the last: whatever comes at the end belongs to it. */
export interface Bounds {
  readonly first: number;
  readonly last: number;
}

export interface Slice {
  readonly start: number;
  readonly end: number;
}

/** Index of the first row with this id or a later one. */
export function indexOfId(rows: readonly Row[], id: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.id ?? Infinity) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function sliceOf(rows: readonly Row[], { first, last }: Bounds): Slice {
  const start = indexOfId(rows, first);
  const end = last === Infinity ? rows.length : indexOfId(rows, last + 1);
  return { start: Math.min(start, end), end };
}

export function boundsOf(rows: readonly Row[], { start, end }: Slice, isFollowing: boolean): Bounds {
  const first = rows[start]?.id ?? -Infinity;
  const isEnd = end >= rows.length;
  return { first, last: isEnd && isFollowing ? Infinity : (rows[end - 1]?.id ?? Infinity) };
}

/** Around a row, more of it after than before. */
export function sliceAround(rows: readonly Row[], index: number): Slice {
  const start = Math.max(0, Math.min(index - maxRows / 3, rows.length - maxRows));
  return { start, end: Math.min(rows.length, start + maxRows) };
}

export const sliceAtEnd = (rows: readonly Row[]): Slice => ({
  start: Math.max(0, rows.length - maxRows),
  end: rows.length,
});

export function movedUp({ start, end }: Slice): Slice {
  const next = Math.max(0, start - step);
  return { start: next, end: Math.min(end, next + maxRows) };
}

export function movedDown(rows: readonly Row[], { start, end }: Slice): Slice {
  const next = Math.min(rows.length, end + step);
  return { start: Math.max(start, next - maxRows), end: next };
}
