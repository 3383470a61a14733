/**
 * Which rows of a long list are in the page: up to 120 in normal flow, moved by 24 at a time. Bounds are ids, so rows that
 * are added or removed elsewhere in the list change nothing. Pure.
 */
import type { Rows } from "./rows.ts";

export const maxRows = 120;
export const step = 24;

/** Both inclusive. With Infinity as the last, everything added at the end belongs to it. */
export interface Bounds {
  readonly first: number;
  readonly last: number;
}

export interface Slice {
  readonly start: number;
  readonly end: number;
}

export function sliceOf(rows: Rows, { first, last }: Bounds): Slice {
  const start = rows.indexOfId(first);
  const end = last === Infinity ? rows.length : rows.indexOfId(last + 1);
  return { start: Math.min(start, end), end };
}

export function boundsOf(rows: Rows, { start, end }: Slice, isFollowing: boolean): Bounds {
  const first = start < rows.length ? rows.idAt(start) : -Infinity;
  const isEnd = end >= rows.length;
  return { first, last: isEnd && isFollowing ? Infinity : rows.idAt(end - 1) };
}

/** A window around a row, with more rows after it than before. */
export function sliceAround(rows: Rows, index: number, count: number): Slice {
  const start = Math.max(0, Math.min(index - Math.floor(count / 3), rows.length - count));
  return { start, end: Math.min(rows.length, start + count) };
}

export const sliceAtEnd = (rows: Rows, most: number): Slice => ({
  start: Math.max(0, rows.length - most),
  end: rows.length,
});

export function movedUp({ start, end }: Slice): Slice {
  const next = Math.max(0, start - step);
  return { start: next, end: Math.min(end, next + maxRows) };
}

export function movedDown(rows: Rows, { start, end }: Slice): Slice {
  const next = Math.min(rows.length, end + step);
  return { start: Math.max(start, next - maxRows), end: next };
}
