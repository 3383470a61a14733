/**
 * Admits registrations: only a few run at once, each on a connection of its own, and the others wait for a short time. Owners take
 * turns, so one account with many requests delays mostly itself. Whoever finds the waiting room full, or has waited too long, is
 * refused and told when to come back: one after another, somewhat faster than the node serves them, so that enough of them wait.
 *
 * A turn can serve several of those who wait for the same group: of each owner the first, if it had arrived when the turn began. A group
 * has few turns at once, because the more of its members share a turn, the less work each of them is.
 */
import { ApiError } from "../errors.ts";
import { rateLimitHit } from "../http/rate-limit.ts";

export interface DeskLimits {
  concurrency: number;
  maxTurnsPerGroup: number;
  maxWaitingPerOwner: number;
  maxWaiting: number;
  maxWaitSeconds: number;
}

/** The waiting room is full, the account has too many there, or it has waited too long. */
export type Refusal = "full" | "account" | "timeout";

interface Arrival<M> {
  member: M;
  owner: string;
  group: number;
  number: number;
  timer: NodeJS.Timeout | undefined;
  /** Undefined if another member's turn includes this one. */
  admit: (turn: Turn<M> | undefined) => void;
  refuse: (error: Error) => void;
}

export interface Turn<M> {
  /** Another member of the same group who waits since before this turn began; from then on it is the turn's to serve. */
  next: () => M | undefined;
  end: () => void;
}

const [minRetrySeconds, maxRetrySeconds] = [1, 60];
/** Of the time that serving one takes: the more of them wait, the more share a turn, and the less work each of them is. */
const timeBetweenReturns = 0.4;
/** How long it takes to serve one, until that has been measured. */
const assumedSeconds = 0.02;

export class RegistrationDesk<M> {
  readonly #limits: DeskLimits;
  readonly #random: () => number;
  #running = 0;
  readonly #runningOf = new Map<number, number>();
  #waiting = 0;
  #arrivals = 0;
  #secondsPerMember = assumedSeconds;
  /** When the last one of those who were refused comes back, by `performance.now()` in seconds. */
  #lastReturn = 0;
  /** By owner, in the order in which their turns come. */
  readonly #queues = new Map<string, Arrival<M>[]>();
  onRefusal: (reason: Refusal) => void = () => undefined;

  constructor(limits: DeskLimits, random: () => number = Math.random) {
    this.#limits = limits;
    this.#random = random;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * Resolves to a turn, which the caller ends; or to undefined when another one's turn serves this member. Throws if there is no
   * turn in time. `onClose` calls back when the client is gone, which then no longer waits.
   */
  async admit(
    { member, owner, group }: Pick<Arrival<M>, "member" | "owner" | "group">,
    onClose: (callback: () => void) => void,
  ): Promise<Turn<M> | undefined> {
    const number = ++this.#arrivals;
    if (this.#running < this.#limits.concurrency && this.#mayRun(group)) return this.#begin(group, owner);
    const queue = this.#queues.get(owner) ?? [];
    const { maxWaitingPerOwner, maxWaiting, maxWaitSeconds } = this.#limits;
    if (queue.length >= maxWaitingPerOwner) throw this.#refusal("account");
    if (this.#waiting >= maxWaiting) throw this.#refusal("full");
    return new Promise((admit, refuse) => {
      const arrival: Arrival<M> = { member, owner, group, number, timer: undefined, admit, refuse };
      queue.push(arrival);
      this.#queues.set(owner, queue);
      this.#waiting++;
      arrival.timer = setTimeout(() => {
        if (this.#leave(arrival)) refuse(this.#refusal("timeout"));
      }, maxWaitSeconds * 1000);
      onClose(() => {
        if (this.#leave(arrival)) refuse(clientGone());
      });
    });
  }

  #mayRun = (group: number): boolean => (this.#runningOf.get(group) ?? 0) < this.#limits.maxTurnsPerGroup;

  #begin(group: number, owner: string): Turn<M> {
    this.#running++;
    this.#runningOf.set(group, (this.#runningOf.get(group) ?? 0) + 1);
    const [begun, newest] = [performance.now(), this.#arrivals];
    const served = new Set([owner]);
    return {
      next: () => {
        const arrival = this.#findWaiting(group, newest, served);
        if (!arrival) return undefined;
        this.#leave(arrival);
        served.add(arrival.owner);
        arrival.admit(undefined);
        return arrival.member;
      },
      end: () => {
        const seconds = (performance.now() - begun) / 1000 / served.size;
        // Turns with few members say little about a busy time, in which many share one.
        this.#secondsPerMember += (seconds - this.#secondsPerMember) * (served.size / (served.size + 100));
        this.#end(group);
        this.#handOver();
      },
    };
  }

  #end(group: number): void {
    this.#running--;
    const left = (this.#runningOf.get(group) ?? 0) - 1;
    if (left > 0) this.#runningOf.set(group, left);
    else this.#runningOf.delete(group);
  }

  #handOver(): void {
    for (const [first] of this.#queues.values()) {
      if (!first || !this.#mayRun(first.group)) continue;
      this.#leave(first);
      first.admit(this.#begin(first.group, first.owner));
      return;
    }
  }

  /** In the order of turns. */
  #findWaiting(group: number, newest: number, served: ReadonlySet<string>): Arrival<M> | undefined {
    for (const [first] of this.#queues.values())
      if (first?.group === group && first.number <= newest && !served.has(first.owner)) return first;
    return undefined;
  }

  /** No longer waits; the owner's others wait behind everybody else. False if it did not wait any more. */
  #leave(arrival: Arrival<M>): boolean {
    const queue = this.#queues.get(arrival.owner);
    const at = queue?.indexOf(arrival) ?? -1;
    if (!queue || at < 0) return false;
    clearTimeout(arrival.timer);
    this.#waiting--;
    queue.splice(at, 1);
    if (at === 0) this.#queues.delete(arrival.owner);
    if (at === 0 && queue.length > 0) this.#queues.set(arrival.owner, queue);
    return true;
  }

  #refusal(reason: Refusal): ApiError {
    this.onRefusal(reason);
    const seconds = reason === "account" ? this.#untilServed() : this.#untilReturn();
    const atRandom = seconds * (0.9 + 0.2 * this.#random());
    return rateLimitHit(Math.round(Math.min(maxRetrySeconds, Math.max(minRetrySeconds, atRandom)) * 10) / 10);
  }

  #secondsFor = (members: number): number => (members * this.#secondsPerMember) / Math.max(1, this.#running);

  /** An account with too many requests waits behind everybody, and delays the return of nobody else. */
  #untilServed(): number {
    return minRetrySeconds + this.#secondsFor(this.#waiting);
  }

  #untilReturn(): number {
    const now = performance.now() / 1000;
    const next = Math.max(this.#lastReturn, now + minRetrySeconds) + this.#secondsFor(timeBetweenReturns);
    const latest = now + maxRetrySeconds;
    this.#lastReturn = Math.min(next, latest);
    // There are more than can be served until then, so it does not matter when they ask again.
    if (next > latest) return maxRetrySeconds * (0.5 + 0.5 * this.#random());
    return next - now;
  }
}

/** Nobody reads it; the log and the metrics show that the request was not served. */
const clientGone = (): ApiError => new ApiError("The client has disconnected", { status: 499 });
