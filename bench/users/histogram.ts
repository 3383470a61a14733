/** Counts of durations in buckets that are two percent wide: a fixed few kilobytes, however many are added. */
const width = Math.log(1.02);
const lowest = 0.01;
const buckets = 1100;

export class Histogram {
  readonly #counts = new Uint32Array(buckets);
  #count = 0;
  #sum = 0;
  #highest = 0;

  add(milliseconds: number): void {
    const bucket = Math.floor(Math.log(Math.max(lowest, milliseconds) / lowest) / width);
    const at = Math.min(buckets - 1, bucket);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#count++;
    this.#sum += milliseconds;
    if (milliseconds > this.#highest) this.#highest = milliseconds;
  }

  addAll(other: Histogram): void {
    for (const [at, count] of other.#counts.entries()) this.#counts[at] = (this.#counts[at] ?? 0) + count;
    this.#count += other.#count;
    this.#sum += other.#sum;
    this.#highest = Math.max(this.#highest, other.#highest);
  }

  get count(): number {
    return this.#count;
  }

  /** 0 if nothing was added. */
  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  get highest(): number {
    return this.#highest;
  }

  /** The duration below which this share lies, at most two percent too high; 0 if nothing was added. */
  percentile(share: number): number {
    if (this.#count === 0) return 0;
    let left = Math.max(1, Math.ceil(this.#count * share));
    for (const [at, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return Math.min(this.#highest, lowest * Math.exp((at + 1) * width));
    }
    return this.#highest;
  }
}
