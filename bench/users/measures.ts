/** What is counted during a measurement: the times of requests by name, failures, refusals, deliveries. */
import type { Answer } from "./line.ts";
import { Histogram } from "./histogram.ts";

export class Measures {
  readonly times = new Map<string, Histogram>();
  /** Server errors and requests without a response. */
  failures = 0;
  /** Responses of status 4xx, by name and text: the load asked for something impossible. */
  readonly refusals = new Map<string, number>();
  refused = 0;
  readonly failedNames = new Map<string, number>();
  /** Responses or parts of streams with events, and events in them. */
  reads = 0;
  events = 0;
  readonly eventTypes = new Map<string, number>();
  /** How late requests were made, because the load was busy. */
  readonly lateness = new Histogram();

  noteEvents(types: readonly string[]): void {
    this.events += types.length;
    for (const type of types) this.eventTypes.set(type, (this.eventTypes.get(type) ?? 0) + 1);
  }

  /** `reason` says why there was no response. */
  noteFailure(name: string, status: number, reason = "no response"): void {
    this.failures++;
    const why = `${name}: ${status === 0 ? reason : status}`;
    this.failedNames.set(why, (this.failedNames.get(why) ?? 0) + 1);
  }

  note(name: string, { status, text, at }: Answer, due: number): void {
    if (status === 0 || status >= 500) this.noteFailure(name, status);
    else if (status >= 400) {
      this.refused++;
      const what = `${name}: ${status} ${/"msg":"([^"]*)"/.exec(text)?.[1] ?? ""}`;
      this.refusals.set(what, (this.refusals.get(what) ?? 0) + 1);
    }
    let times = this.times.get(name);
    if (!times) {
      times = new Histogram();
      this.times.set(name, times);
    }
    times.add(at - due);
  }

  get requests(): number {
    return [...this.times.values()].reduce((sum, { count }) => sum + count, 0);
  }

  all(): Histogram {
    const all = new Histogram();
    for (const times of this.times.values()) all.addAll(times);
    return all;
  }
}
