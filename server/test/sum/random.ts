/** A random generator with a seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, 1. Mulberry32: small, and even enough for choosing. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  oneOf<const T extends readonly [unknown, ...unknown[]]>(choices: T): T[number];
  oneOf<T>(choices: readonly T[]): T | undefined;
  oneOf(choices: readonly unknown[]): unknown {
    return choices[this.below(choices.length)];
  }

  /** Up to so many, each once. */
  some<T>(choices: readonly T[], most: number): T[] {
    const left = [...choices];
    return Array.from({ length: Math.min(left.length, this.below(most + 1)) }, () =>
      left.splice(this.below(left.length), 1),
    ).flat();
  }

  shuffled<T>(choices: readonly T[]): T[] {
    const left = [...choices];
    return choices.map(() => left.splice(this.below(left.length), 1)).flat();
  }
}
