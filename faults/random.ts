/** Random numbers from a seed, so that one number identifies a failing run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An independent generator, for code that draws at unpredictable times. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 32));
  }

  /** From 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From `low` up to, but not including, `high`. */
  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  integer(below: number): number {
    return Math.floor(this.next() * below);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.integer(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** `count` different ones, in random order. */
  sample<T>(items: readonly T[], count: number): T[] {
    const rest = [...items];
    const taken: T[] = [];
    while (taken.length < count && rest.length > 0) taken.push(...rest.splice(this.integer(rest.length), 1));
    return taken;
  }
}
