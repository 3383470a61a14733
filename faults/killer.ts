/** Kills one random process at a time, and restarts it. The next one is killed after it is back. */
import { setTimeout as delay } from "node:timers/promises";
import { killNats, startNats } from "../server/src/platform/engines/nats.ts";
import { killPostgres, startPostgres } from "../server/src/platform/engines/postgres.ts";
import type { ServerProcess } from "./processes.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

export interface Kill {
  name: string;
  at: number;
  /** How long it was down before the restart. */
  deadMilliseconds: number;
}

export interface Target {
  name: string;
  kill: () => Promise<void>;
  start: () => Promise<void>;
}

/** Half of them are restarted at once. */
const atOnceShare = 0.5;
const maxDeadMilliseconds = 1500;

export class Killer {
  readonly #random: Random;
  readonly #targets: readonly Target[];
  readonly #everyMilliseconds: number;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  readonly kills: Kill[] = [];

  constructor(targets: readonly Target[], random: Random, everyMilliseconds: number) {
    this.#random = random;
    this.#everyMilliseconds = everyMilliseconds;
    this.#targets = targets;
  }

  start(): void {
    this.#running = this.#killOnAndOn();
  }

  /** Returns when the last killed process is back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #killOnAndOn(): Promise<void> {
    const { signal } = this.#stopping;
    let bag: Target[] = [];
    let last = performance.now();
    while (!signal.aborted) {
      const due = last + this.#everyMilliseconds * this.#random.between(0.7, 1.3);
      await delay(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      // A bag that is refilled when empty: random, but even a short run kills every kind.
      if (bag.length === 0) bag = this.#random.sample(this.#targets, this.#targets.length);
      const target = bag.pop();
      last = performance.now();
      if (target) await this.#strike(target);
    }
  }

  async #strike(target: Target): Promise<void> {
    const isAtOnce = this.#random.next() < atOnceShare;
    const deadMilliseconds = isAtOnce ? 0 : Math.round(this.#random.between(0, maxDeadMilliseconds));
    this.kills.push({ name: target.name, at: performance.now(), deadMilliseconds });
    await target.kill();
    await delay(deadMilliseconds);
    await target.start();
  }
}

export const toTarget = (process: ServerProcess, prefix = ""): Target => ({
  name: prefix + process.name,
  kill: () => process.kill(),
  start: () => process.startAndWait(),
});

/** All processes and engines of a world. */
export function targetsOf({ dir, engines, processes }: World, prefix = ""): Target[] {
  return [
    ...processes.map((process) => toTarget(process, prefix)),
    {
      name: `${prefix}postgres`,
      kill: () => killPostgres(dir),
      start: async () => void (await startPostgres(dir, { port: engines.postgres.port })),
    },
    {
      name: `${prefix}nats`,
      kill: () => killNats(dir),
      start: async () => void (await startNats(dir, { port: engines.nats.port })),
    },
  ];
}
