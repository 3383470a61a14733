/**
 * Finds the best few names for a query among a hundred thousand, between two keystrokes. Used by the typeahead and the
 * palette.
 *
 * A name matches if it starts with the query, if one of its words does, if its words start with the query's words in order
 * (`a lov` finds Ada Lovelace), or if the query is inside a word; in this order of rank. Case, accents and punctuation
 * between words do not count, nor does the part of an e-mail address after the @.
 *
 * All names are in one string, with an index of word starts by first letter, which is enough for most queries: only when
 * too few words start with the query does the engine's own search run over the whole string.
 */

const accents = /\p{M}+/gu;
const betweenWords = /[^\p{L}\p{N}+]+/gu;
const isPlain = /^[a-z0-9]+(?: [a-z0-9]+)*$/;

/** A name or query in normalized form: lowercase, words separated by one space. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (isPlain.test(lower)) return lower;
  const at = lower.indexOf("@", 1);
  const local = at === -1 ? lower : lower.slice(0, at);
  return local.normalize("NFD").replaceAll(accents, "").replaceAll(betweenWords, " ").trim();
}

/** Separators: before an item, and before another name of the same item. */
const nextItem = "\n";
const nextName = "\t";

/** All names of an item, normalized. */
export const foldNames = (text: string): string =>
  text.includes("\n") ? text.split("\n").map(fold).join(nextName) : fold(text);

/** How well a name matches; lower is better. */
const exact = 0;
const begins = 1;
const wordStarts = 2;
const wordsBegin = 3;
const contains = 4;

interface Place {
  index: number;
  rank: number;
  weight: number;
}

/** An item with its rank, to compare with those of another matcher. */
export interface Ranked<Item> {
  item: Item;
  rank: number;
  weight: number;
}

/** The best of several matchers' results; among equals, those that come first. */
export const bestOf = <Item>(found: readonly Ranked<Item>[], limit: number): Item[] =>
  found
    .toSorted((a, b) => a.rank - b.rank || b.weight - a.weight)
    .slice(0, limit)
    .map(({ item }) => item);

/** Keeps the best few, in order; most candidates are compared with the last of them and dropped. */
class Best {
  readonly found: Place[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.found.length >= this.#most;
  }

  offer(index: number, rank: number, weight: number): void {
    const { found } = this;
    let place = found.length;
    for (; place > 0; place--) {
      const other = found[place - 1] as Place; // below the length
      if (other.rank < rank || (other.rank === rank && other.weight >= weight)) break;
    }
    if (place >= this.#most) return;
    found.splice(place, 0, { index, rank, weight });
    if (found.length > this.#most) found.pop();
  }
}

/** The word starts of one letter, in order, and the items they belong to. */
interface Beginnings {
  places: Uint32Array;
  items: Uint32Array;
}

/** The word starts of all names in a text, by the first letter's character code. */
function beginningsIn(text: string): Map<number, Beginnings> {
  const counts = new Map<number, number>();
  eachWord(text, (_, code) => counts.set(code, (counts.get(code) ?? 0) + 1));
  const found = new Map<number, Beginnings>();
  for (const [code, count] of counts)
    found.set(code, { places: new Uint32Array(count), items: new Uint32Array(count) });
  const filled = new Map<number, number>();
  eachWord(text, (at, code, item) => {
    const beginnings = found.get(code) as Beginnings; // counted above
    const next = filled.get(code) ?? 0;
    beginnings.places[next] = at;
    beginnings.items[next] = item;
    filled.set(code, next + 1);
  });
  return found;
}

const itemCode = nextItem.charCodeAt(0);
const nameCode = nextName.charCodeAt(0);
const spaceCode = " ".charCodeAt(0);

function eachWord(text: string, visit: (at: number, code: number, item: number) => void): void {
  let item = -1;
  let isBeginning = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === itemCode) item++;
    const isBetween = code === spaceCode || code === itemCode || code === nameCode;
    if (isBeginning && !isBetween) visit(at, code, item);
    isBeginning = isBetween;
  }
}

const equal = (): number => 0;

export class Matcher<Item> {
  readonly #items: readonly Item[];
  readonly #names: string;
  /** Where each item starts in `#names`, and where the last one ends. */
  readonly #starts: Uint32Array;
  readonly #beginnings: Map<number, Beginnings>;
  /** The search in which an item was last offered. */
  readonly #offered: Uint32Array;
  #search = 0;
  /** The last result without a query. */
  #unasked: { weightOf: (item: Item) => number; limit: number; found: Ranked<Item>[] } | undefined;

  /** `textOf` returns the name, with further names (an address, aliases) on further lines. Equal matches keep this order. */
  constructor(
    items: readonly Item[],
    textOf: (item: Item) => string,
    names: readonly string[] = items.map((item) => foldNames(textOf(item))),
  ) {
    this.#items = items;
    this.#starts = new Uint32Array(items.length + 1);
    this.#offered = new Uint32Array(items.length);
    let length = 0;
    for (const [index, folded] of names.entries()) {
      this.#starts[index] = length;
      length += folded.length + 1;
    }
    this.#starts[items.length] = length;
    this.#names = nextItem + names.join(nextItem) + nextItem;
    this.#beginnings = beginningsIn(this.#names);
  }

  /** The best `limit`; among equals, those with more weight. Without a query, those with the most weight. */
  find(query: string, limit: number, weightOf?: (item: Item) => number): Item[] {
    return this.rank(query, limit, weightOf).map(({ item }) => item);
  }

  /** The same, each with its rank. */
  rank(query: string, limit: number, weightOf: (item: Item) => number = equal): Ranked<Item>[] {
    const typed = fold(query);
    if (typed === "") return this.#heaviest(limit, weightOf);
    const best = new Best(limit);
    this.#search++;
    const offer = (index: number, rank: number): void => {
      this.#offered[index] = this.#search;
      best.offer(index, rank, weightOf(this.#items[index] as Item)); // our own indexes
    };
    this.#eachBeginning(typed, (at) => this.#rankAt(at, typed), offer);
    const [first = "", ...rest] = typed.split(" ");
    if (!best.isFull && rest.length > 0) {
      const rank = (at: number, end: number): number | undefined =>
        this.#beginInOrder(rest, at + first.length, end) ? wordsBegin : undefined;
      this.#eachBeginning(first, rank, offer);
    }
    // One letter occurs in most names.
    if (!best.isFull && typed.length > 1) this.#eachHolding(typed, (index) => offer(index, contains));
    return this.#itemsOf(best);
  }

  /** Everything that matches, in no particular order. */
  findAll(query: string): Item[] {
    const typed = fold(query);
    if (typed === "") return [...this.#items];
    this.#search++;
    const found: Item[] = [];
    const offer = (index: number): void => {
      this.#offered[index] = this.#search;
      found.push(this.#items[index] as Item); // our own indexes
    };
    this.#eachBeginning(typed, () => exact, offer);
    const [first = "", ...rest] = typed.split(" ");
    if (rest.length > 0)
      this.#eachBeginning(
        first,
        (at, end) => (this.#beginInOrder(rest, at + first.length, end) ? exact : undefined),
        offer,
      );
    if (typed.length > 1) this.#eachHolding(typed, offer);
    return found;
  }

  #itemsOf({ found }: Best): Ranked<Item>[] {
    return found.map(({ index, ...fit }) => ({ item: this.#items[index] as Item, ...fit })); // our own indexes
  }

  /** Without a query all items are scanned; the result is cached for the same arguments. */
  #heaviest(limit: number, weightOf: (item: Item) => number): Ranked<Item>[] {
    const known = this.#unasked;
    if (known?.weightOf === weightOf && known.limit === limit) return known.found;
    const best = new Best(limit);
    for (const [index, item] of this.#items.entries()) best.offer(index, exact, weightOf(item));
    const found = this.#itemsOf(best);
    this.#unasked = { weightOf, limit, found };
    return found;
  }

  /** Offers each item with a word that starts like this and that was not offered yet, by its best match. */
  #eachBeginning(
    text: string,
    rankAt: (at: number, endOfItem: number) => number | undefined,
    offer: (index: number, rank: number) => void,
  ): void {
    const { places, items } = this.#beginnings.get(text.charCodeAt(0)) ?? { places: [], items: [] };
    const names = this.#names;
    const second = text.charCodeAt(1);
    let item = -1;
    let rank: number | undefined;
    const offerItem = (): void => {
      if (rank !== undefined && this.#offered[item] !== this.#search) offer(item, rank);
    };
    for (let index = 0; index < places.length; index++) {
      const at = places[index] as number; // below the length
      if (text.length > 1 && (names.charCodeAt(at + 1) !== second || !names.startsWith(text, at))) continue;
      const here = items[index] as number; // the same length as places
      if (here !== item) {
        offerItem();
        item = here;
        rank = undefined;
      }
      const fit = rankAt(at, this.#starts[item + 1] ?? Infinity);
      if (fit !== undefined && (rank === undefined || fit < rank)) rank = fit;
    }
    offerItem();
  }

  /** Offers each item that contains the text and was not offered yet. */
  #eachHolding(text: string, offer: (index: number) => void): void {
    const names = this.#names;
    const starts = this.#starts;
    let index = -1;
    let end = 0;
    for (let at = names.indexOf(text); at !== -1; at = names.indexOf(text, end)) {
      while (at >= end) end = starts[++index + 1] ?? Infinity;
      if (this.#offered[index] !== this.#search) offer(index);
    }
  }

  /** The rank of a match at a word start. */
  #rankAt(at: number, typed: string): number {
    if (this.#names[at - 1] === " ") return wordStarts;
    const after = this.#names[at + typed.length];
    return after === nextItem || after === nextName ? exact : begins;
  }

  #beginInOrder(words: readonly string[], from: number, end: number): boolean {
    // Search this item only: a missing word would be searched for to the end of all names.
    const rest = this.#names.slice(from, end);
    let after = 0;
    for (const word of words) {
      const at = rest.indexOf(` ${word}`, after);
      if (at === -1) return false;
      after = at + word.length + 1;
    }
    return true;
  }
}
