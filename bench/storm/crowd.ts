/** All clients, spread over several processes. */
import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Account } from "../request.ts";
import type { Tally } from "./client.ts";

const clientsPerProcess = 2500;
const sayMilliseconds = 10_000;

export class Crowd {
  readonly #processes: { child: ChildProcess; tally: Tally | undefined }[] = [];

  constructor(accounts: readonly Account[], urls: string[]) {
    for (let first = 0; first < accounts.length; first += clientsPerProcess) {
      const child = fork(join(import.meta.dirname, "clients.ts"));
      const process: { child: ChildProcess; tally: Tally | undefined } = { child, tally: undefined };
      child.on("message", (tally) => (process.tally = tally as Tally)); // sent by clients.ts
      child.send({ accounts: accounts.slice(first, first + clientsPerProcess), urls });
      this.#processes.push(process);
    }
  }

  get pids(): number[] {
    return this.#processes.map(({ child }) => child.pid ?? 0);
  }

  get tally(): Tally {
    const sum: Tally = { clients: 0, live: 0, liveOnFirst: 0, lost: 0, registrations: 0, refusals: 0, liveAt: 0 };
    for (const { tally } of this.#processes) {
      if (!tally) continue;
      for (const name of ["clients", "live", "liveOnFirst", "lost", "registrations", "refusals"] as const)
        sum[name] += tally[name];
      sum.liveAt = Math.max(sum.liveAt, tally.liveAt);
    }
    return sum;
  }

  /** Until all are live, and at least so many were lost before; false if that takes too long. */
  async untilLive(
    count: number,
    lost: number,
    { timeoutSeconds, say }: { timeoutSeconds: number; say: (line: string) => void },
  ): Promise<boolean> {
    const deadline = Date.now() + timeoutSeconds * 1000;
    let saidAt = Date.now();
    for (;;) {
      const { live, lost: lostSoFar, registrations, refusals } = this.tally;
      if (live === count && lostSoFar >= lost) return true;
      if (Date.now() > deadline) return false;
      if (Date.now() - saidAt > sayMilliseconds) {
        saidAt = Date.now();
        say(`  ${live} of ${count} are live, ${registrations} registrations, ${refusals} refusals so far`);
      }
      await delay(100);
    }
  }

  end(): void {
    for (const { child } of this.#processes) child.kill();
  }
}
