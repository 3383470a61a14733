/** The number of users that an earlier run carried, and what they cost. A later run must not fall far behind. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { figure } from "../statistics.ts";
import { whatBroke, type StepResult } from "./verdict.ts";

const file = join(import.meta.dirname, "baseline.json");
const tolerance = 0.2;

export interface Baseline {
  users: number;
  /** Seconds of CPU time per second for all of them, the load included. */
  cores: number;
}

export const coresOf = ({ cpu }: StepResult): number => cpu.reduce((sum, [, cores]) => sum + cores, 0);

/** The step with the most users that were carried. */
export const bestOf = (results: readonly StepResult[]): StepResult | undefined =>
  results.findLast((result) => whatBroke(result).length === 0);

export async function readBaseline(): Promise<Baseline | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined); // none recorded yet
  return text === undefined ? undefined : (JSON.parse(text) as Baseline); // written below
}

export async function recordBaseline(results: readonly StepResult[]): Promise<void> {
  const best = bestOf(results);
  if (!best) return;
  const baseline: Baseline = { users: best.users, cores: Number(coresOf(best).toPrecision(3)) };
  await writeFile(file, `${JSON.stringify(baseline, undefined, 2)}\n`);
}

/** Why the run falls behind the baseline; undefined if it does not. A run that asked for fewer users is not compared. */
export function findMissed(results: readonly StepResult[], baseline: Baseline | undefined): string | undefined {
  const asked = results.at(-1)?.users ?? 0;
  const best = bestOf(results);
  if (!baseline) return undefined;
  const isBroken = results.some((result) => whatBroke(result).length > 0);
  if ((best?.users ?? 0) < baseline.users * (1 - tolerance) && (isBroken || asked >= baseline.users))
    return `${figure(best?.users ?? 0)} users were carried, and ${figure(baseline.users)} before`;
  if (best?.users === baseline.users && coresOf(best) > baseline.cores * (1 + tolerance))
    return `${figure(best.users)} users took ${figure(coresOf(best))} cores, and ${figure(baseline.cores)} before`;
  return undefined;
}
