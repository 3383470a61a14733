/**
 * `npm run bench:compare -- CHECKOUT [--only a,b]`: compares this checkout with another one, for example a worktree of the
 * previous release with its dependencies installed. Both run at the same time, each with its own engines, and take turns
 * round by round, so that disturbances affect both. The result is the mean of two medians of their ratios, one for each order
 * in which they are opened.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import * as here from "./rounds.ts";
import { figure, median, spread } from "./statistics.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", default: Object.keys(here.subjects).join(",") } },
});
const [checkout] = positionals;
if (checkout === undefined) {
  process.stderr.write("Say which checkout to compare with: npm run bench:compare -- ../previous-release\n");
  process.exit(2);
}
const there = (await import(resolve(checkout, "bench/rounds.ts"))) as typeof here; // the same file there
const breakOff = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => breakOff.abort());
const options = { isQuick: false, say: () => undefined, signal: breakOff.signal };

/** The figures of one pass. */
interface Pass {
  ours: number[];
  theirs: number[];
}

const warmUps = 2;

/** Whichever is opened first is at a disadvantage of several percent. So there are two passes, and each goes first in one. */
async function pass(ours: here.Subject, theirs: here.Subject, isOursFirst: boolean): Promise<Pass> {
  const figures: Pass = { ours: [], theirs: [] };
  const run = async (ourRound: () => Promise<number>, theirRound: () => Promise<number>) => {
    for (let round = -warmUps; round < ours.rounds; round++) {
      // The second one meets the first one's garbage and checkpoints, so they also take turns in going first.
      const isOursNow = round % 2 === 0;
      const first = await (isOursNow ? ourRound : theirRound)();
      const second = await (isOursNow ? theirRound : ourRound)();
      if (round < 0) continue;
      figures.ours.push(isOursNow ? first : second);
      figures.theirs.push(isOursNow ? second : first);
    }
  };
  const openOurs = (then: (round: () => Promise<number>) => Promise<void>) =>
    here.withStage(options, async (stage) => then(await ours.open(stage)));
  const openTheirs = (then: (round: () => Promise<number>) => Promise<void>) =>
    there.withStage(options, async (stage) => then(await theirs.open(stage)));
  if (isOursFirst) await openOurs((ourRound) => openTheirs((theirRound) => run(ourRound, theirRound)));
  else await openTheirs((theirRound) => openOurs((ourRound) => run(ourRound, theirRound)));
  return figures;
}

const ratiosOf = ({ ours, theirs }: Pass): number[] => ours.map((value, index) => value / (theirs[index] ?? 1));

for (const key of values.only.split(",")) {
  const [ours, theirs] = [here.subjects[key], there.subjects[key]];
  if (!ours || !theirs) throw new Error(`both checkouts need a subject "${key}" in bench/rounds.ts`);
  process.stdout.write(`\n${key}. ${ours.title}\n`);
  const passes = [await pass(ours, theirs, true), await pass(ours, theirs, false)];
  const all = (of: (figures: Pass) => number[]): number[] => passes.flatMap(of);
  const [first = 1, second = 1] = passes.map((figures) => median(ratiosOf(figures)));
  process.stdout.write(
    `   here  ${figure(median(all((figures) => figures.ours)))}${ours.unit} (${spread(all((figures) => figures.ours))})\n` +
      `   there ${figure(median(all((figures) => figures.theirs)))}${ours.unit} (${spread(all((figures) => figures.theirs))})\n` +
      `   here is ${figure(Math.sqrt(first * second))} × there${ours.isTime ? " (less is better)" : ""}: ` +
      `${figure(first)} opened first, ${figure(second)} opened second; rounds ${spread(all(ratiosOf))}\n`,
  );
}
process.exit(0);
