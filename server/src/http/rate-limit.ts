/**
 * How often one account, or one address without an account, may call: at most `calls` in any `seconds`, counted on
 * this node. The last calls' times are kept in a ring, so the limit is exact and a caller costs a fixed few bytes.
 */
import { ApiError } from "../errors.ts";

export interface Limit {
  calls: number;
  seconds: number;
}

export const limits = {
  apiByUser: { calls: 200, seconds: 60 },
  apiByAddress: { calls: 100, seconds: 60 },
} satisfies Record<string, Limit>;

export type RateHeaders = Record<"X-RateLimit-Limit" | "X-RateLimit-Remaining" | "X-RateLimit-Reset", string>;

interface Ring {
  times: Float64Array;
  next: number;
}

const sweepEveryCalls = 10_000;

export class RateLimiter {
  readonly #limit: Limit;
  readonly #now: () => number;
  readonly #rings = new Map<string | number, Ring>();
  #callsUntilSweep = sweepEveryCalls;

  /** `now` in milliseconds. */
  constructor(limit: Limit, now: () => number = Date.now) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Counts a call; the headers that tell of it, or an error once there were too many. */
  count(caller: string | number): RateHeaders {
    if (--this.#callsUntilSweep === 0) this.#sweep();
    const now = this.#now();
    const { calls, seconds } = this.#limit;
    const ring = this.#rings.get(caller) ?? { times: new Float64Array(calls).fill(-Infinity), next: 0 };
    this.#rings.set(caller, ring);
    const since = now - seconds * 1000;
    const oldest = ring.times[ring.next] ?? -Infinity;
    const reset = String(Math.ceil((now + seconds * 1000) / 1000));
    if (oldest > since) {
      const wait = (oldest - since) / 1000;
      throw rateLimitHit(wait, { ...headers(calls, 0), "X-RateLimit-Reset": String(Math.ceil(now / 1000 + wait)) });
    }
    ring.times[ring.next] = now;
    ring.next = (ring.next + 1) % calls;
    return { ...headers(calls, countFree(ring.times, since)), "X-RateLimit-Reset": reset };
  }

  #sweep(): void {
    this.#callsUntilSweep = sweepEveryCalls;
    const since = this.#now() - this.#limit.seconds * 1000;
    for (const [caller, ring] of this.#rings) if (ring.times.every((time) => time <= since)) this.#rings.delete(caller);
  }
}

const headers = (calls: number, remaining: number) => ({
  "X-RateLimit-Limit": String(calls),
  "X-RateLimit-Remaining": String(remaining),
});

function countFree(times: Float64Array, since: number): number {
  let free = 0;
  for (const time of times) if (time <= since) free++;
  return free;
}

export const rateLimitHit = (seconds: number, rateHeaders: Record<string, string> = {}) =>
  new ApiError("API usage exceeded rate limit", {
    code: "RATE_LIMIT_HIT",
    status: 429,
    data: { "retry-after": seconds },
    headers: { ...rateHeaders, "Retry-After": String(seconds) },
  });
