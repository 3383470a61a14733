/**
 * A token bucket per caller: a burst at once, and a steady rate in the long run. A caller costs two numbers, however large the
 * burst is.
 */

export interface AllowanceSize {
  /** The maximum that can be taken at once. */
  burst: number;
  perSecond: number;
}

interface Bucket {
  left: number;
  /** In milliseconds. */
  at: number;
}

const maxCallers = 50_000;

export class Allowance {
  readonly #size: AllowanceSize;
  readonly #now: () => number;
  readonly #buckets = new Map<string | number, Bucket>();

  /** `now` in milliseconds. */
  constructor(size: AllowanceSize, now: () => number = Date.now) {
    this.#size = size;
    this.#now = now;
  }

  /** Takes the amount and returns 0, or takes nothing and returns the seconds until there is enough. */
  take(caller: string | number, amount = 1): number {
    const left = this.left(caller);
    const { burst, perSecond } = this.#size;
    // An amount above the burst needs a full bucket.
    const wanted = Math.min(amount, burst);
    if (left < wanted) return (wanted - left) / perSecond;
    // The least recent callers are dropped first.
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { left: left - wanted, at: this.#now() });
    if (this.#buckets.size > maxCallers) this.#forgetOldest();
    return 0;
  }

  left(caller: string | number): number {
    const { burst, perSecond } = this.#size;
    const known = this.#buckets.get(caller);
    if (!known) return burst;
    return Math.min(burst, known.left + (Math.max(0, this.#now() - known.at) / 1000) * perSecond);
  }

  #forgetOldest(): void {
    for (const caller of this.#buckets.keys()) {
      this.#buckets.delete(caller);
      return;
    }
  }
}
