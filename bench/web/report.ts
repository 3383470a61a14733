/** WEB.md and the recorded baseline: measurements next to their budgets and to earlier results. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeMachine } from "../machine.ts";
import { figure, median, spread } from "../statistics.ts";
import type { Figure } from "./figure.ts";
import { limits } from "./limits.ts";

const file = join(import.meta.dirname, "../WEB.md");
const baselineFile = join(import.meta.dirname, "baseline.json");

export interface Surroundings {
  browser: string;
  loadBefore: string;
  sizes: string;
}

/** Medians of an earlier run, by key. */
export type Baseline = Readonly<Record<string, number>>;

export async function readBaseline(): Promise<Baseline> {
  const text = await readFile(baselineFile, "utf8").catch(() => "{}"); // none recorded yet
  return JSON.parse(text) as Baseline; // written below
}

export async function recordBaseline(figures: readonly Figure[]): Promise<void> {
  const medians = figures.map(({ key, rounds }) => [key, Number(median(rounds).toPrecision(3))]);
  await writeFile(baselineFile, `${JSON.stringify(Object.fromEntries(medians), undefined, 2)}\n`);
}

export const isReached = ({ budget, rounds }: Figure): boolean => budget === undefined || median(rounds) <= budget;

function ratioOf({ key, rounds }: Figure, baseline: Baseline): string {
  const before = baseline[key];
  return before === undefined || before === 0 ? "" : `${figure(median(rounds) / before)} ×`;
}

/** How many times as long a list takes that runs none of our code: the speed of the machine. */
function slownessOf(figures: readonly Figure[], baseline: Baseline): number {
  const bare = figures.find(({ key }) => key === "scroll-bare");
  const before = baseline["scroll-bare"];
  return bare && before ? median(bare.rounds) / before : 1;
}

function reasonOf({ key, unit, rounds, budget = 0 }: Figure, slowness: number): string {
  const elsewhere = median(rounds) / slowness;
  const isMachine = unit === "ms" && elsewhere <= budget;
  return [
    ...(isMachine ? [`${figure(elsewhere)} at the speed of the baseline's machine, which is within the budget`] : []),
    ...(limits[key] === undefined ? [] : [limits[key]]),
    ...(isMachine || limits[key] !== undefined ? [] : ["not investigated yet"]),
  ].join("; ");
}

/** One row of the printed table. */
export function line(each: Figure, baseline: Baseline): string {
  const { what, unit, budget, rounds } = each;
  const sign = budget === undefined ? " " : isReached(each) ? "✓" : "✗";
  const held = budget === undefined ? "" : `budget ${figure(budget)}`;
  const cells = [
    what.padEnd(70),
    `${figure(median(rounds))} ${unit}`.padStart(12),
    held.padStart(14),
    ratioOf(each, baseline).padStart(8),
    rounds.length > 1 ? `  ${spread(rounds)}` : "",
  ];
  return `${sign} ${cells.join(" ")}`.trimEnd();
}

export async function writeReport(
  figures: readonly Figure[],
  baseline: Baseline,
  { browser, loadBefore, sizes }: Surroundings,
): Promise<void> {
  const rows = figures.map((each) => {
    const { what, unit, budget, rounds } = each;
    const cells = [
      what,
      budget === undefined ? "" : `${figure(budget)} ${unit}`,
      `${figure(median(rounds))} ${unit}`,
      rounds.length > 1 ? spread(rounds) : "",
      budget === undefined ? "" : isReached(each) ? "yes" : "**no**",
      ratioOf(each, baseline),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const slowness = slownessOf(figures, baseline);
  const missed = figures.filter((each) => !isReached(each));
  await writeFile(
    file,
    [
      "# Benchmark of the web client",
      "",
      "Written by `npm run bench:web`, not by hand: the built client in the system's Chromium, with the server and its engines on",
      `the same machine. ${sizes} Medians of five rounds and their spread. *Work* is the main`,
      "thread's CPU time, without the cost of measuring; *to paint* is the time from the event to the frame that shows its effect, including the wait",
      "for that frame. The ratio is to the recorded baseline (`bench/web/baseline.json`).",
      "",
      `- Machine: ${await describeMachine()}`,
      `- Browser: Chromium ${browser}, without a window`,
      `- Measured on ${new Date().toISOString().slice(0, 10)}, load before ${loadBefore}`,
      `- The bare list of paragraphs, which runs none of our code, took ${figure(slowness)} times as long as on the machine of the baseline`,
      "",
      "| | Budget | Measured | Spread | Reached | Ratio |",
      "|---|---|---|---|---|---|",
      ...rows,
      "",
      ...(missed.length === 0 ? [] : ["## Budgets that are missed", ""]),
      ...missed.map((each) => `- **${each.what}**: ${reasonOf(each, slowness)}.`),
      ...(missed.length === 0 ? [] : [""]),
    ].join("\n"),
  );
}
