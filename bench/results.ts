/**
 * RESULTS.md: one row per figure, with the date and the load before. Rows of measurements that were not run this time are
 * kept.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { drawChart } from "./chart.ts";
import { describeMachine, describeVersions } from "./machine.ts";
import type { Outcome, Row } from "./measurement.ts";

const file = join(import.meta.dirname, "RESULTS.md");
const charts = join(import.meta.dirname, "charts");

export interface Measured {
  key: string;
  title: string;
  outcome: Outcome;
  loadBefore: string;
}

export async function writeResults(measured: readonly Measured[], titles: ReadonlyMap<string, string>): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const lines = await readLines();
  await mkdir(charts, { recursive: true });
  for (const { key, outcome, loadBefore } of measured) {
    lines.set(
      key,
      outcome.rows.map((row) => tableLine(key, row, day, loadBefore)),
    );
    await writeFile(join(charts, `${key}.svg`), drawChart(outcome.chart));
  }
  const known = [...titles].filter(([key]) => lines.has(key));
  await writeFile(
    file,
    [
      "# Benchmark results",
      "",
      "Written by `npm run bench`, not by hand. Server, load generator and engines share one machine; everything is",
      "durable (fsync on). Figures are medians of rounds that alternate with those of the baseline; the spread is the",
      "range of the rounds.",
      "",
      `- Machine: ${await describeMachine()}`,
      `- Versions: ${await describeVersions()}`,
      "",
      "| | Measurement | Target | Reached | Aim | Measured | Baseline | Spread | Date | Load before |",
      "|---|---|---|---|---|---|---|---|---|---|",
      ...known.flatMap(([key]) => lines.get(key) ?? []),
      "",
      ...known.map(([key, title]) => `![${title}](charts/${key}.svg)`),
      "",
    ].join("\n"),
  );
}

function tableLine(key: string, row: Row, day: string, load: string): string {
  const { what, bar, margin, aim = "", measured, baseline, spread } = row;
  const cells = [key, what, bar, isReached({ margin }) ? "yes" : "**no**", aim, measured, baseline, spread, day, load];
  return `| ${cells.join(" | ")} |`;
}

export const isReached = ({ margin }: Pick<Row, "margin">): boolean => margin >= 1;

/** A target that was reached before may be missed by this much, because timings are noisy. */
const tolerance = 0.2;

/** What met its target when RESULTS.md was written, and misses it clearly now. */
export async function findRegressions(measured: readonly Measured[]): Promise<string[]> {
  const lines = await readLines();
  return measured.flatMap(({ key, outcome }) =>
    outcome.rows
      .filter(({ what, margin }) => margin < 1 - tolerance && wasReached(lines.get(key) ?? [], what))
      .map(({ what, measured: now, bar }) => `${what}: ${now}; it has reached ${bar} before`),
  );
}

function wasReached(lines: readonly string[], what: string): boolean {
  const cells = lines.map((line) => line.split(" | ")).find((each) => each[1] === what);
  return cells?.[3] === "yes";
}

/** The rows of earlier runs, by measurement. */
async function readLines(): Promise<Map<string, string[]>> {
  const text = await readFile(file, "utf8").catch(() => "");
  const lines = text.split("\n").filter((line) => /^\| [a-z0-9]+ \|/.test(line));
  return Map.groupBy(lines, (line) => line.split("|")[1]?.trim() ?? "");
}
