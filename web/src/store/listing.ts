/**
 * A list as a table shows it: sorted by a column, filtered by a query and a condition. It may have a hundred thousand rows,
 * so the order is kept from one query to the next, and rows that change are put in their new places.
 */
import type { ReadonlySignal } from "@preact/signals";
import { IncrementalMatcher } from "./incremental-matcher.ts";

export type Key = string | number;
export type SortValue = string | number;

interface ListingOptions<Item> {
  items: ReadonlySignal<readonly Item[]>;
  keyOf: (item: Item) => Key;
  /** What the query is looked for in: the name, and further names on further lines. */
  textOf: (item: Item) => string;
  /** An index that exists already; it may contain more than the items. */
  matcher?: IncrementalMatcher<Item>;
  /** Compared with a query that contains an @, which names alone do not answer. */
  addressOf?: (item: Item) => string;
  /** What rows are sorted by, by the column's name. */
  sorts: Readonly<Record<string, (item: Item) => SortValue>>;
}

export interface Shown<Item> {
  query: string;
  sortedBy: string;
  isDescending: boolean;
  isShown?: ((item: Item) => boolean) | undefined;
}

interface Order<Item> {
  items: readonly Item[];
  sortedBy: string;
  rows: readonly Item[];
}

/** Plain names compare much faster by their characters. */
const isPlain = /^[\u0020-\u007e]*$/;

/** A text that sorts by its characters as people expect, whatever its case and accents. */
export const sortText = (text: string): string => {
  const lower = text.toLowerCase();
  return isPlain.test(lower) ? lower : lower.normalize("NFD").replaceAll(/\p{M}+/gu, "");
};

export class Listing<Item> {
  readonly keyOf: (item: Item) => Key;
  readonly #options: ListingOptions<Item>;
  readonly #matcher: IncrementalMatcher<Item>;
  #order: Order<Item> | undefined;
  #found: { query: string; matcher: unknown; keys: ReadonlySet<Key> } | undefined;
  /** The last result, and what it was computed from. */
  #last: { from: readonly unknown[]; rows: readonly Item[] } | undefined;

  constructor(options: ListingOptions<Item>) {
    this.keyOf = options.keyOf;
    this.#options = options;
    this.#matcher = options.matcher ?? new IncrementalMatcher(options.items, options.textOf);
  }

  get items(): readonly Item[] {
    return this.#options.items.value;
  }

  isSortedBy(column: string): boolean {
    return column in this.#options.sorts;
  }

  /** Indexes the names while the page is idle. */
  prepare(): void {
    this.#matcher.prepare();
  }

  rows({ query, sortedBy, isDescending, isShown }: Shown<Item>): readonly Item[] {
    const sorted = this.#sorted(sortedBy);
    const matches = this.#matching(query.trim());
    const from = [sorted, query, this.#found?.keys, isDescending, isShown];
    if (this.#last && from.every((each, index) => each === this.#last?.from[index])) return this.#last.rows;
    const isRow = (item: Item): boolean => (isShown?.(item) ?? true) && (matches?.(item) ?? true);
    const ascending = isShown || matches ? sorted.filter(isRow) : sorted;
    const rows = isDescending ? ascending.toReversed() : ascending;
    this.#last = { from, rows };
    return rows;
  }

  #matching(query: string): ((item: Item) => boolean) | undefined {
    const { addressOf } = this.#options;
    if (query === "") return undefined;
    if (addressOf && query.includes("@")) {
      const part = query.toLowerCase();
      return (item) => addressOf(item).toLowerCase().includes(part);
    }
    const matcher = this.#matcher.value;
    if (this.#found?.query !== query || this.#found.matcher !== matcher)
      this.#found = { query, matcher, keys: new Set(matcher.findAll(query).map(this.keyOf)) };
    const { keys } = this.#found;
    return (item) => keys.has(this.keyOf(item));
  }

  #sorted(sortedBy: string): readonly Item[] {
    const { items } = this;
    const last = this.#order;
    if (last?.items === items && last.sortedBy === sortedBy) return last.rows;
    const valueOf = this.#options.sorts[sortedBy];
    if (!valueOf) return items;
    const rows = (last?.sortedBy === sortedBy && updated(last, items, valueOf)) || sortBy(items, valueOf);
    this.#order = { items, sortedBy, rows };
    return rows;
  }
}

type ValueOf<Item> = (item: Item) => SortValue;

const compare = (a: SortValue, b: SortValue): number => (a < b ? -1 : a > b ? 1 : 0);

function sortBy<Item>(items: readonly Item[], valueOf: ValueOf<Item>): Item[] {
  const pairs = items.map((item) => ({ item, value: valueOf(item) }));
  return pairs.toSorted((a, b) => compare(a.value, b.value)).map(({ item }) => item);
}

/** Changes of more rows are sorted anew. */
const few = 200;

/** The order with the few rows that changed at their new places; undefined if many did. */
function updated<Item>(
  { items: before, rows }: Order<Item>,
  after: readonly Item[],
  valueOf: ValueOf<Item>,
): Item[] | undefined {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const gone = new Set(before.slice(start, before.length - end));
  const added = after.slice(start, after.length - end);
  if (gone.size + added.length > few) return undefined;
  const next = rows.filter((row) => !gone.has(row));
  for (const item of added) next.splice(placeOf(next, valueOf(item), valueOf), 0, item);
  return next;
}

/** After the last row that is not greater. */
function placeOf<Item>(rows: readonly Item[], value: SortValue, valueOf: ValueOf<Item>): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(valueOf(rows[middle] as Item), value) <= 0) low = middle + 1; // within bounds
    else high = middle;
  }
  return low;
}
