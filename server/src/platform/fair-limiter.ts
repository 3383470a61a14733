/**
 * Limits how much expensive work runs at once, fairly: owners take turns, so one user with many requests delays mostly
 * themselves, and everyone else by one request at most.
 */

/** Too much work is waiting already, for this owner or in total. */
export class QueueFull extends Error {
  override name = "QueueFull";
}

export interface LimiterOptions {
  concurrency: number;
  maxWaitingPerOwner: number;
  maxWaiting: number;
}

export class FairLimiter {
  readonly #limits: LimiterOptions;
  #running = 0;
  #waiting = 0;
  /** By owner, in the order in which their turns come. */
  readonly #queues = new Map<string, (() => void)[]>();

  constructor(limits: LimiterOptions) {
    this.#limits = limits;
  }

  /** How much work waits for its turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Does the work when it is the owner's turn; throws at once if too much is waiting. */
  async take<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.concurrency) this.#running++;
    // The work that finishes hands its place over.
    else await this.#wait(owner);
    try {
      return await work();
    } finally {
      this.#handOver();
    }
  }

  #wait(owner: string): Promise<void> {
    const queue = this.#queues.get(owner) ?? [];
    const { maxWaitingPerOwner, maxWaiting } = this.#limits;
    if (queue.length >= maxWaitingPerOwner || this.#waiting >= maxWaiting) throw new QueueFull();
    return new Promise((resume) => {
      queue.push(resume);
      this.#queues.set(owner, queue);
      this.#waiting++;
    });
  }

  #handOver(): void {
    const [first] = this.#queues;
    if (!first) {
      this.#running--;
      return;
    }
    const [owner, queue] = first;
    this.#waiting--;
    this.#queues.delete(owner);
    const [next, ...others] = queue;
    if (others.length > 0) this.#queues.set(owner, others);
    next?.();
  }
}
