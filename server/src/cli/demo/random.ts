/** A random generator with a fixed seed, so that every run gives the same result. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to below 1 (the generator of Park and Miller). */
  next(): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return (this.#state - 1) / 2_147_483_646;
  }

  /** Both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  shuffle<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, rank: this.next() }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  }
}

/** Draws every card once before it draws any card again. */
export class Deck<T> {
  readonly #cards: readonly T[];
  readonly #random: Random;
  #left: T[] = [];

  constructor(random: Random, cards: readonly T[]) {
    this.#random = random;
    this.#cards = cards;
  }

  deal(): T {
    if (this.#left.length === 0) this.#left = this.#random.shuffle(this.#cards);
    const card = this.#left.pop();
    if (card === undefined) throw new Error("an empty deck");
    return card;
  }
}
