/** What is due when, earliest first: a binary heap. Entries due at the same time come in the order they were added. */
interface Entry<T> {
  at: number;
  order: number;
  what: T;
}

export class Agenda<T> {
  readonly #entries: Entry<T>[] = [];
  #added = 0;

  get size(): number {
    return this.#entries.length;
  }

  /** When the next entry is due; Infinity if there is none. */
  get next(): number {
    return this.#entries[0]?.at ?? Infinity;
  }

  add(at: number, what: T): void {
    const entry = { at, order: this.#added++, what };
    let index = this.#entries.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.#entries[parent];
      if (!above || !isBefore(entry, above)) break;
      this.#entries[index] = above;
      index = parent;
    }
    this.#entries[index] = entry;
  }

  /** Removes and returns the first entry if it is due by then. */
  take(now: number): { at: number; what: T } | undefined {
    const first = this.#entries[0];
    if (!first || first.at > now) return undefined;
    const last = this.#entries.pop();
    if (last && last !== first) this.#sink(last);
    return first;
  }

  /** Moves everything into the future by this long. */
  postpone(milliseconds: number): void {
    for (const entry of this.#entries) entry.at += milliseconds;
  }

  #sink(entry: Entry<T>): void {
    let index = 0;
    for (;;) {
      const left = this.#entries[2 * index + 1];
      const right = this.#entries[2 * index + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (!child || isBefore(entry, child)) break;
      this.#entries[index] = child;
      index = 2 * index + (isRight ? 2 : 1);
    }
    this.#entries[index] = entry;
  }
}

const isBefore = (one: Entry<unknown>, other: Entry<unknown>): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);
