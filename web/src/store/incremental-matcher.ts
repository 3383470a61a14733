/**
 * A matcher over a list of names that may be very long. Indexing a hundred thousand takes longer than a keystroke may, so it
 * is done in slices while the page is idle: once ahead of time, and again after a change, with the previous index in use in
 * the meantime.
 */
import { signal, type ReadonlySignal } from "@preact/signals";
import { foldNames, Matcher } from "../text/matching.ts";

/** How many are indexed in one slice. */
const few = 5000;
const sliceTime = 6;

export class IncrementalMatcher<Item> {
  readonly #items: ReadonlySignal<readonly Item[]>;
  readonly #textOf: (item: Item) => string;
  #kept: { items: readonly Item[]; matcher: Matcher<Item> } | undefined;
  /** Incremented when an index that someone may be waiting for is ready. */
  readonly #made = signal(0);
  /** The names being indexed. */
  #indexing: readonly Item[] | undefined;

  constructor(items: ReadonlySignal<readonly Item[]>, textOf: (item: Item) => string) {
    this.#items = items;
    this.#textOf = textOf;
  }

  /** Ready at once; does not block if `prepare` was called before. */
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
    if (this.#indexing === items) return;
    this.#indexing = items;
    const names: string[] = [];
    while (names.length < items.length) {
      await idle();
      // Another list replaced this one, or a caller could not wait.
      if (this.#indexing !== items || this.#kept?.items === items) return;
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
