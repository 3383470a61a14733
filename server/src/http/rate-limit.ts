/**
 * Limits calls per account, or per IP address for unauthenticated requests: at most `calls` in any `seconds`, counted on
 * this node. The times of the last calls are kept in a ring, so the limit is exact and a caller costs a fixed few bytes.
 */
import { isIPv6 } from "node:net";
import { ApiError } from "../errors.ts";
import { Allowance } from "./allowance.ts";

export interface Limit {
  calls: number;
  seconds: number;
}

export const perMinute = (calls: number): Limit => ({ calls, seconds: 60 });

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

  /**
   * Counts a call, or an expensive one as several, and returns the rate-limit headers; throws if that exceeds the limit.
   * A single call never exceeds it.
   */
  count(caller: string | number, asCalls = 1): RateHeaders {
    if (--this.#callsUntilSweep === 0) this.#sweep();
    const now = this.#now();
    const { calls, seconds } = this.#limit;
    const ring = this.#rings.get(caller) ?? { times: new Float64Array(calls).fill(-Infinity), next: 0 };
    this.#rings.set(caller, ring);
    const since = now - seconds * 1000;
    const taken = Math.min(asCalls, calls);
    // The newest of the calls that these replace in the ring.
    const replaced = ring.times[(ring.next + taken - 1) % calls] ?? -Infinity;
    const reset = String(Math.ceil((now + seconds * 1000) / 1000));
    if (replaced > since) {
      const wait = (replaced - since) / 1000;
      throw rateLimitHit(wait, { ...headers(calls, 0), "X-RateLimit-Reset": String(Math.ceil(now / 1000 + wait)) });
    }
    for (let left = taken; left > 0; left--) {
      ring.times[ring.next] = now;
      ring.next = (ring.next + 1) % calls;
    }
    return { ...headers(calls, countFree(ring.times, since)), "X-RateLimit-Reset": reset };
  }

  #sweep(): void {
    this.#callsUntilSweep = sweepEveryCalls;
    const since = this.#now() - this.#limit.seconds * 1000;
    for (const [caller, ring] of this.#rings) if (ring.times.every((time) => time <= since)) this.#rings.delete(caller);
  }
}

/** For frequent calls: a burst of `calls`, which refills steadily over `seconds`. */
export class BucketLimiter {
  readonly #limit: Limit;
  readonly #now: () => number;
  readonly #calls: Allowance;

  /** `now` in milliseconds. */
  constructor(limit: Limit, now: () => number = Date.now) {
    this.#limit = limit;
    this.#now = now;
    this.#calls = new Allowance({ burst: limit.calls, perSecond: limit.calls / limit.seconds }, now);
  }

  /** Counts a call and returns the rate-limit headers; throws once the limit is reached. */
  count(caller: number): RateHeaders {
    const { calls, seconds } = this.#limit;
    const wait = this.#calls.take(caller);
    const now = this.#now() / 1000;
    if (wait > 0)
      throw rateLimitHit(wait, { ...headers(calls, 0), "X-RateLimit-Reset": String(Math.ceil(now + wait)) });
    const left = this.#calls.left(caller);
    const reset = now + (calls - left) * (seconds / calls);
    return { ...headers(calls, Math.floor(left)), "X-RateLimit-Reset": String(Math.ceil(reset)) };
  }
}

/**
 * What is counted for an IP address: an IPv4 address itself, but the /64 network of an IPv6 address, because a household or a
 * server can use all addresses of one.
 */
export function networkOf(address: string): string {
  // The full test is expensive, and most addresses have no colon.
  if (!address.includes(":") || !isIPv6(address)) return address;
  const [withoutZone = address] = address.split("%", 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(withoutZone);
  if (mapped?.[1] !== undefined) return mapped[1];
  const [head = "", tail] = withoutZone.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const behind = tail === undefined || tail === "" ? [] : tail.split(":");
  // An IPv4 address at the end stands for two groups.
  const width = (group: string): number => (group.includes(".") ? 2 : 1);
  const given = [...groups, ...behind].reduce((sum, group) => sum + width(group), 0);
  const all = [...groups, ...Array.from({ length: tail === undefined ? 0 : 8 - given }, () => "0"), ...behind];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
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
