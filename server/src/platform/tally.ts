/**
 * A counter with two labels for every request. It counts in plain numbers and hands them over when the metrics are read: a
 * labelled counter of the library builds a key from its labels each time, which takes twenty times as long.
 */
import { Counter, type Registry } from "prom-client";

export class Tally {
  /** By the values of the two labels. */
  readonly #pending = new Map<string, Map<string, number>>();

  constructor(about: { name: string; help: string; labelNames: [string, string]; registers: Registry[] }) {
    const [first, second] = about.labelNames;
    const pending = this.#pending;
    void new Counter({
      ...about,
      collect() {
        for (const [one, counts] of pending)
          for (const [other, count] of counts) {
            this.inc({ [first]: one, [second]: other }, count);
            counts.set(other, 0);
          }
      },
    });
  }

  inc(first: string, second: string): void {
    let counts = this.#pending.get(first);
    if (!counts) this.#pending.set(first, (counts = new Map()));
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
}
