/** STORM.md: the storms next to their bars, and whether a bar that was reached before is missed now. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeMachine, describeVersions } from "../machine.ts";
import { figure } from "../statistics.ts";

const target = join(import.meta.dirname, "../STORM.md");
const baselineFile = join(import.meta.dirname, "baseline.json");
const tolerance = 0.2;

export interface Measured {
  storm: string;
  what: string;
  clients: number;
  /** Until all clients are live again; Infinity if they are not in time. */
  seconds: number;
  /** Milliseconds of sends meanwhile. */
  p50: number;
  p99: number;
  /** Resident bytes by process: the most before and during the storm. */
  memory: { name: string; before: number; peak: number }[];
  refusals: number;
  registrations: number;
}

interface Bar {
  name: string;
  limit: number;
  value: (measured: Measured) => number;
  shown: (value: number) => string;
}

const memoryGrowth = ({ memory }: Measured): number => Math.max(...memory.map(({ before, peak }) => peak / before));

const bars: Bar[] = [
  {
    name: "seconds",
    limit: 30,
    value: ({ seconds }) => seconds,
    shown: (value) => `all live after ${figure(value)} s`,
  },
  { name: "p99", limit: 2000, value: ({ p99 }) => p99, shown: (value) => `p99 of sends ${figure(value)} ms` },
  { name: "memory", limit: 2, value: memoryGrowth, shown: (value) => `${figure(value)} × the memory` },
];

/** By storm, the bars that were reached. */
type Baseline = Record<string, { clients: number; reached: string[] }>;

export const missedBars = (each: Measured): string[] =>
  bars.filter(({ limit, value }) => value(each) > limit).map(({ shown, value }) => shown(value(each)));

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)}`;

export const describe = (each: Measured): string =>
  `${each.storm}: all ${each.clients} live after ${figure(each.seconds)} s, sends p50 ${figure(each.p50)} ms and p99 ` +
  `${figure(each.p99)} ms, ${each.registrations} registrations, ${each.refusals} refusals; MiB before and at most: ` +
  each.memory.map(({ name, before, peak }) => `${name} ${mebibytes(before)}, ${mebibytes(peak)}`).join("; ");

export async function readBaseline(): Promise<Baseline> {
  const text = await readFile(baselineFile, "utf8").catch(() => "{}"); // none recorded yet
  return JSON.parse(text) as Baseline; // written below
}

export async function recordBaseline(measured: readonly Measured[]): Promise<void> {
  const baseline: Baseline = Object.fromEntries(
    measured.map((each) => [
      each.storm,
      {
        clients: each.clients,
        reached: bars.filter(({ limit, value }) => value(each) <= limit).map(({ name }) => name),
      },
    ]),
  );
  await writeFile(baselineFile, `${JSON.stringify(baseline, undefined, 2)}\n`);
}

/** What falls behind the baseline by more than a fifth. A run with fewer clients is compared, too: it has it easier. */
export const findMissed = (measured: readonly Measured[], baseline: Baseline): string[] =>
  measured.flatMap((each) => {
    const known = baseline[each.storm];
    if (!known || each.clients > known.clients) return [];
    return bars
      .filter(({ name, limit, value }) => known.reached.includes(name) && value(each) > limit * (1 + tolerance))
      .map(
        ({ shown, value, limit }) =>
          `${each.storm}: ${shown(value(each))}; the bar is ${figure(limit)}, and was reached before`,
      );
  });

export async function writeReport(measured: readonly Measured[]): Promise<void> {
  const rows = measured.map((each) => {
    const memory = each.memory.map(({ name, before, peak }) => `${name} ${mebibytes(before)} → ${mebibytes(peak)}`);
    const cells = [
      each.what,
      `${figure(each.seconds)} s`,
      `${figure(each.p50)} / ${figure(each.p99)} ms`,
      memory.join(", "),
      each.registrations.toLocaleString("en-US"),
      each.refusals.toLocaleString("en-US"),
      missedBars(each).length === 0 ? "yes" : `**no**: ${missedBars(each).join(", ")}`,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  await writeFile(
    target,
    [
      "# Benchmark of storms",
      "",
      "Written by `npm run bench:storm`, not by hand. Everybody loses their connection at once, in an organization in which everybody is",
      "connected. The bars: all are live again within 30 s, 99 of 100 sends take less than 2 s meanwhile, and no process needs more than",
      "twice the memory it had before. A send counts from when it was due until it succeeded, with all attempts; after a cold start from when a",
      "node is ready. Refused clients come back by themselves.",
      "",
      `- Machine: ${await describeMachine()}, shared by server, engines and clients`,
      `- Versions: ${await describeVersions()}`,
      `- Places for connections that wait, \`net.core.somaxconn\`: ${Number(await readFile("/proc/sys/net/core/somaxconn", "utf8")).toLocaleString("en-US")}`,
      `- Clients: ${(measured[0]?.clients ?? 0).toLocaleString("en-US")}`,
      `- Measured on ${new Date().toISOString().slice(0, 10)}`,
      "",
      "| storm | all live again after | sends meanwhile, p50 / p99 | MiB before → at most | registrations | refusals | reached |",
      "|---|---|---|---|---|---|---|",
      ...rows,
      "",
    ].join("\n"),
  );
}
