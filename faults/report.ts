/** Prints the progress and the result of a run. */
import type { Kill, Killer } from "./killer.ts";
import type { Tally } from "./readers.ts";
import type { Senders } from "./senders.ts";

export type Say = (line: string) => void;

/** Figures by name, and findings. */
export type Result = object & { findings: readonly { rule: string; about: string; text: string }[] };

const everyMilliseconds = 5000;

export class Progress {
  readonly #timer: NodeJS.Timeout;
  readonly #watched: { senders: Senders; killer: Killer; tally: Tally; say: Say };
  readonly #begun = performance.now();
  #acknowledged = 0;
  #events = 0;
  #kills = 0;
  #worst = 0;

  constructor(watched: { senders: Senders; killer: Killer; tally: Tally; say: Say }) {
    this.#watched = watched;
    this.#timer = setInterval(() => this.#tell(), everyMilliseconds);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#tell();
  }

  get worstDelayMilliseconds(): number {
    return this.#worst;
  }

  #tell(): void {
    const { senders, killer, tally, say } = this.#watched;
    const killed = killer.kills
      .slice(this.#kills)
      .map(({ name, deadMilliseconds }) => `${name}${deadMilliseconds > 0 ? ` (${deadMilliseconds} ms)` : ""}`);
    const perSecond = (count: number) => Math.round((count * 1000) / everyMilliseconds);
    const delay = tally.worstDelayMilliseconds;
    say(
      [
        `${seconds(performance.now() - this.#begun)} s`.padStart(7),
        `${perSecond(senders.acknowledged.length - this.#acknowledged)} sent/s`.padStart(11),
        `${perSecond(tally.events - this.#events)} events/s`.padStart(14),
        `worst delay ${seconds(delay)} s`,
        `killed: ${killed.join(", ") || "nothing"}`,
      ].join("  "),
    );
    this.#acknowledged = senders.acknowledged.length;
    this.#events = tally.events;
    this.#kills = killer.kills.length;
    this.#worst = Math.max(this.#worst, delay);
    tally.worstDelayMilliseconds = 0;
  }
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);

/** By killed process: the longest time without an acknowledgement between two kills. */
export function longestSilences(kills: readonly Kill[], acknowledgedAt: readonly number[]): Record<string, number> {
  const longest: Record<string, number> = {};
  for (const [index, { name, at }] of kills.entries()) {
    const end = kills[index + 1]?.at ?? Infinity;
    let last = at;
    for (const time of acknowledgedAt) {
      if (time < at) continue;
      longest[name] = Math.max(longest[name] ?? 0, Math.round(Math.min(time, end) - last));
      if (time > end) break;
      last = time;
    }
  }
  return Object.fromEntries(Object.entries(longest).toSorted(([one], [other]) => one.localeCompare(other)));
}

const shownFindings = 12;

/** The result as lines of name and value, then the findings, the first ones in detail. */
export function describe(result: Result): string {
  const { findings, ...figures } = result;
  const rows = Object.entries(figures).map(
    ([name, value]) => `  ${name.replaceAll("_", " ").padEnd(24)} ${toText(value)}`,
  );
  const count = findings.length;
  return [
    ...rows,
    "",
    count === 0 ? "Everything holds." : `${count} finding(s):`,
    ...findings.slice(0, shownFindings).map(({ rule, about, text }) => `  [${rule}] ${about}: ${text}`),
    ...(count > shownFindings ? [`  and ${count - shownFindings} more`] : []),
  ].join("\n");
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${String(one)}`)
    .join(", ");
}
