/**
 * A matcher over names of which there may be very many. Indexing a hundred thousand takes longer than a key stroke may, so
 * it is done a little at a time while the page has nothing else to do: once ahead, and again after something changed, with
 * the index as it was before in use meanwhile.
 */
import { signal, type ReadonlySignal } from "@preact/signals";
import { foldNames, Matcher } from "./matching.ts";

/** So many are indexed at once. */
const few = 5000;
const sliceTime = 6;

export class KeptMatcher<Item> {
  readonly #items: ReadonlySignal<readonly Item[]>;
  readonly #textOf: (item: Item) => string;
  #kept: { items: readonly Item[]; matcher: Matcher<Item> } | undefined;
  /** Raised when an index was made that somebody may be waiting for. */
  readonly #made = signal(0);
  /** What is being indexed. */
  #underWay: readonly Item[] | undefined;

  constructor(items: ReadonlySignal<readonly Item[]>, textOf: (item: Item) => string) {
    this.#items = items;
    this.#textOf = textOf;
  }

  /** Ready at once; nobody waits for it who has called `prepare` before. */
  get value(): Matcher<Item> {
    const items = this.#items.value;
    void this.#made.value;
    const kept = this.#kept;
    if (kept?.items === items) return kept.matcher;
    if (kept !== undefined && items.length > few) {
      void this.#indexInIdle(items);
      return kept.matcher;
    }
    const matcher = new Matcher(items, this.#textOf);
    this.#kept = { items, matcher };
    return matcher;
  }

  prepare(): void {
    const items = this.#items.peek();
    if (this.#kept?.items !== items) void this.#indexInIdle(items);
  }

  async #indexInIdle(items: readonly Item[]): Promise<void> {
    if (this.#underWay === items) return;
    this.#underWay = items;
    const names: string[] = [];
    while (names.length < items.length) {
      await idle();
      // Others were to be indexed meanwhile, or somebody could not wait.
      if (this.#underWay !== items || this.#kept?.items === items) return;
      const end = performance.now() + sliceTime;
      while (names.length < items.length && performance.now() < end) {
        for (const item of items.slice(names.length, names.length + 200)) names.push(foldNames(this.#textOf(item)));
      }
    }
    this.#kept = { items, matcher: new Matcher(items, this.#textOf, names) };
    this.#made.value++;
  }
}

const idle = (): Promise<void> =>
  new Promise((resume) => {
    if ("requestIdleCallback" in globalThis) requestIdleCallback(() => resume(), { timeout: 2000 });
    else setTimeout(resume, 20);
  });
