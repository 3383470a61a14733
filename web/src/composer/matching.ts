/**
 * Finds the few names that fit what is being typed, among a hundred thousand, between two key strokes. Used by the
 * typeahead and the palette.
 *
 * A name fits when it begins with the query, when a word of it does, when its words begin with the query's words in order
 * (`a lov` finds Ada Lovelace), or when the query stands in the middle of a word; in this order. Case, accents and signs
 * between words do not count, nor does an e-mail address behind its @.
 *
 * All names lie in one string. Where words begin in it is known by their first letters, and most queries need no more: only
 * while too few words begin with the query the engine's own search runs over everything.
 */

const accents = /\p{M}+/gu;
const betweenWords = /[^\p{L}\p{N}+]+/gu;
const isPlain = /^[a-z0-9]+(?: [a-z0-9]+)*$/;

/** A name or query as it is compared: lower case, words with one space between. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (isPlain.test(lower)) return lower;
  const at = lower.indexOf("@", 1);
  const local = at === -1 ? lower : lower.slice(0, at);
  return local.normalize("NFD").replaceAll(accents, "").replaceAll(betweenWords, " ").trim();
}

/** Before an item, and before a further name of the same item. */
const nextItem = "\n";
const nextName = "\t";

/** All names of an item, as they are compared. */
export const foldNames = (text: string): string =>
  text.includes("\n") ? text.split("\n").map(fold).join(nextName) : fold(text);

/** How well a name fits; smaller is better. */
const exact = 0;
const begins = 1;
const wordBegins = 2;
const wordsBegin = 3;
const contains = 4;

interface Place {
  index: number;
  rank: number;
  weight: number;
}

/** An item with how well it fits, to be held against those of another matcher. */
export interface Found<Item> {
  item: Item;
  rank: number;
  weight: number;
}

/** The best of several matchers' finds; of equally good ones those that stand first. */
export const bestOf = <Item>(found: readonly Found<Item>[], limit: number): Item[] =>
  found
    .toSorted((a, b) => a.rank - b.rank || b.weight - a.weight)
    .slice(0, limit)
    .map(({ item }) => item);

/** The best few, in order; most candidates are compared with the last of them and dropped. */
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

/** Where words begin with one letter, in order, and of which items they are. */
interface Beginnings {
  places: Uint32Array;
  items: Uint32Array;
}

/** Of all names in a text, by the code of the first letter. */
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
  /** Where each item begins in `#names`, and where the last one ends. */
  readonly #starts: Uint32Array;
  readonly #beginnings: Map<number, Beginnings>;
  /** In which search an item was offered last. */
  readonly #offered: Uint32Array;
  #search = 0;
  /** What was found last without a query. */
  #unasked: { weightOf: (item: Item) => number; limit: number; found: Found<Item>[] } | undefined;

  /** `textOf` gives the name; further names (an address, aliases) on further lines. Equally good ones keep this order. */
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

  /** The best `limit`; of equally good ones the one with more weight. Without a query, those with the most weight. */
  find(query: string, limit: number, weightOf?: (item: Item) => number): Item[] {
    return this.rank(query, limit, weightOf).map(({ item }) => item);
  }

  /** The same, each with how well it fits. */
  rank(query: string, limit: number, weightOf: (item: Item) => number = equal): Found<Item>[] {
    const typed = fold(query);
    if (typed === "") return this.#heaviest(limit, weightOf);
    const best = new Best(limit);
    this.#search++;
    const offer = (index: number, rank: number): void => {
      this.#offered[index] = this.#search;
      best.offer(index, rank, weightOf(this.#items[index] as Item)); // indexes of ours
    };
    this.#eachBeginning(typed, (at) => this.#rankAt(at, typed), offer);
    const [first = "", ...rest] = typed.split(" ");
    if (!best.isFull && rest.length > 0) {
      const rank = (at: number, end: number): number | undefined =>
        this.#beginInOrder(rest, at + first.length, end) ? wordsBegin : undefined;
      this.#eachBeginning(first, rank, offer);
    }
    // A letter stands in most names.
    if (!best.isFull && typed.length > 1) this.#eachHolding(typed, (index) => offer(index, contains));
    return this.#itemsOf(best);
  }

  #itemsOf({ found }: Best): Found<Item>[] {
    return found.map(({ index, ...fit }) => ({ item: this.#items[index] as Item, ...fit })); // indexes of ours
  }

  /** Without a query all are looked at; whoever asks again in the same way is given the same. */
  #heaviest(limit: number, weightOf: (item: Item) => number): Found<Item>[] {
    const known = this.#unasked;
    if (known?.weightOf === weightOf && known.limit === limit) return known.found;
    const best = new Best(limit);
    for (const [index, item] of this.#items.entries()) best.offer(index, exact, weightOf(item));
    const found = this.#itemsOf(best);
    this.#unasked = { weightOf, limit, found };
    return found;
  }

  /** Offers each item of which a word begins so and that was not offered yet, by the best of its places. */
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
      const here = items[index] as number; // as many as there are places
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

  /** Offers each item that holds the text and was not offered yet. */
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

  /** Of a word that begins there with what was typed. */
  #rankAt(at: number, typed: string): number {
    if (this.#names[at - 1] === " ") return wordBegins;
    const after = this.#names[at + typed.length];
    return after === nextItem || after === nextName ? exact : begins;
  }

  #beginInOrder(words: readonly string[], from: number, end: number): boolean {
    // Of this item alone: a word that stands nowhere would be looked for to the end of all names.
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
