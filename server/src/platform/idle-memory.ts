/**
 * Returns memory to the machine when a process has nothing to do. V8 keeps the room that it needed while starting or under
 * load until the next full collection, which without traffic may never come.
 */
import { performance, type EventLoopUtilization } from "node:perf_hooks";

const everyMilliseconds = 15_000;
/** An idle process is busy for less than this share of the time, with heartbeats, health checks and chores. */
const idleShare = 0.05;
/** More than this is work, after which it is worth collecting again. */
const workShare = 0.25;

export interface Surroundings {
  /** Collects garbage; undefined if Node runs without --expose-gc. */
  collect: (() => void) | undefined;
  utilization: (since?: EventLoopUtilization) => EventLoopUtilization;
}

const ofThisProcess = (): Surroundings => ({
  // Other kinds of collection keep the room for short-lived objects.
  collect: globalThis.gc && (() => globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" })),
  utilization: (since) => performance.eventLoopUtilization(since),
});

export class IdleMemory {
  readonly #given: Surroundings;
  #looked: EventLoopUtilization;
  #hasWorked = true;

  constructor(given: Surroundings = ofThisProcess()) {
    this.#given = given;
    this.#looked = given.utilization();
  }

  start(): void {
    if (this.#given.collect) setInterval(() => this.look(), everyMilliseconds).unref();
  }

  /** Collects once after each time of work. */
  look(): void {
    const { collect, utilization } = this.#given;
    const share = utilization(this.#looked).utilization;
    if (share > workShare) this.#hasWorked = true;
    if (share < idleShare && this.#hasWorked) {
      collect?.();
      this.#hasWorked = false;
    }
    this.#looked = utilization();
  }
}
