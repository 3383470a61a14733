/** Sets of message ids, written as PostgreSQL writes them: `{[1,5),[9,)}`. */

/** Pairs of numbers: each range's first id, and the first one after it. */
export type Ranges = readonly number[];

const range = /\[(\d+),(\d*)\)/g;

export const toRanges = (text: string): Ranges =>
  [...text.matchAll(range)].flatMap(([, first, end]) => [Number(first), end === "" ? Infinity : Number(end)]);

/** Asks for ids in ascending order, so that each range is looked at once. */
export class RangeCursor {
  #at = 0;
  readonly #ranges: Ranges;

  constructor(ranges: Ranges) {
    this.#ranges = ranges;
  }

  has(id: number): boolean {
    while (id >= (this.#ranges[this.#at + 1] ?? Infinity)) this.#at += 2;
    return id >= (this.#ranges[this.#at] ?? Infinity);
  }
}
