/** IMPORTS.md: large imports next to their bars. Rows of files that were not imported this time are kept. */
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describeMachine, describeVersions } from "../machine.ts";
import { figure } from "../statistics.ts";
import type { Run } from "./attempt.ts";

const target = join(import.meta.dirname, "../IMPORTS.md");

/** The messages of a large import; MiB at most; messages a second at least; how many times as long a send may take. */
export const bars = { messages: 1_000_000, memory: 300, rate: 5000, sends: 2 };

export interface Percentiles {
  p50: number;
  p99: number;
}

export interface Measured {
  file: string;
  run: Run;
  times: { before: Percentiles; busy: Percentiles; during: Percentiles };
  kills: number;
  /** Between the undisturbed and the killed import; undefined if none was killed. */
  differences: string[] | undefined;
}

const rateOf = ({ run }: Measured): number => run.messages / run.seconds;
const slowdownOf = ({ times }: Measured): number => times.during.p99 / times.before.p99;

export function misses(each: Measured): string[] {
  const name = basename(each.file);
  return [
    ...(rateOf(each) < bars.rate ? [`${name}: fewer than ${bars.rate} messages a second`] : []),
    ...(each.run.peakMiB > bars.memory ? [`${name}: more than ${bars.memory} MiB`] : []),
    ...(slowdownOf(each) > bars.sends ? [`${name}: sends took more than ${bars.sends} times as long`] : []),
    ...(each.differences ?? []).map((difference) => `${name}: ${difference}`),
  ];
}

export async function writeReport(measured: readonly Measured[]): Promise<void> {
  const rows = await readRows();
  const day = new Date().toISOString().slice(0, 10);
  for (const each of measured) {
    const { file, run, times, kills, differences } = each;
    const name = basename(file);
    const cells = [
      name,
      run.messages.toLocaleString("en-US"),
      `${figure(run.seconds)} s`,
      `${figure(rateOf(each))} /s`,
      `${figure(run.peakMiB)} MiB`,
      `${figure(times.before.p50)} / ${figure(times.before.p99)} ms`,
      `${figure(times.busy.p50)} / ${figure(times.busy.p99)} ms`,
      `${figure(times.during.p50)} / ${figure(times.during.p99)} ms`,
      `${figure(slowdownOf(each))} ×`,
      `${kills} × killed: ${differences?.length === 0 ? "equal" : "**different**"}`,
      day,
    ];
    rows.set(name, `| ${cells.join(" | ")} |`);
  }
  await writeFile(
    target,
    [
      "# Benchmark of imports",
      "",
      "Written by `npm run bench:imports`, not by hand: `skein import run` of large exports while somebody sends 50 messages a second through one",
      "api process on the same machine, with a relay and both engines. The same export is then imported into a second organization by processes",
      "that are killed at random moments and started again, and everything in the two organizations is compared. “Beside a busy core” are sends while",
      "a process counts in a loop instead of an import: what any work on this machine costs them.",
      `Bars: at least ${figure(bars.rate)} messages a second, at most ${bars.memory} MiB in the importing process, sends at most ${bars.sends} times as long at p99.`,
      "",
      `- Machine: ${await describeMachine()}`,
      `- Versions: ${await describeVersions()}`,
      "",
      "| | Messages | Time | Rate | Memory | Sends before, p50 / p99 | Beside a busy core | During | p99 | Interrupted | Date |",
      "|---|---|---|---|---|---|---|---|---|---|---|",
      ...rows.values(),
      "",
    ].join("\n"),
  );
}

/** By the name of the file. */
async function readRows(): Promise<Map<string, string>> {
  const text = await readFile(target, "utf8").catch(() => ""); // none written yet
  const lines = text.split("\n").filter((line) => /^\| [^\s|]/.test(line));
  return new Map(lines.map((line) => [line.split(" | ")[0]?.slice(2) ?? "", line]));
}
