/**
 * `npm run bench:compare -- CHECKOUT [--only a,b]`: compares this checkout with another one, for example a worktree of the
 * previous release with its dependencies installed. Both run at the same time, each with its own engines, and take turns
 * round by round, so that disturbances affect both. The result is the median of the ratios.
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

for (const key of values.only.split(",")) {
  const [ours, theirs] = [here.subjects[key], there.subjects[key]];
  if (!ours || !theirs) throw new Error(`both checkouts need a subject "${key}" in bench/rounds.ts`);
  process.stdout.write(`\n${key}. ${ours.title}\n`);
  await here.withStage(options, async (ourStage) => {
    const ourRound = await ours.open(ourStage);
    await there.withStage(options, async (theirStage) => {
      const theirRound = await theirs.open(theirStage);
      const figures = { ours: [] as number[], theirs: [] as number[] };
      const warmUps = 2;
      for (let round = -warmUps; round < ours.rounds; round++) {
        // The second one meets the first one's garbage and checkpoints, so they also take turns in going first.
        const isOursFirst = round % 2 === 0;
        const first = await (isOursFirst ? ourRound : theirRound)();
        const second = await (isOursFirst ? theirRound : ourRound)();
        if (round < 0) continue;
        figures.ours.push(isOursFirst ? first : second);
        figures.theirs.push(isOursFirst ? second : first);
      }
      const ratios = figures.ours.map((value, index) => value / (figures.theirs[index] ?? 1));
      process.stdout.write(
        `   here  ${figure(median(figures.ours))}${ours.unit} (${spread(figures.ours)})\n` +
          `   there ${figure(median(figures.theirs))}${ours.unit} (${spread(figures.theirs)})\n` +
          `   here is ${figure(median(ratios))} × there${ours.isTime ? " (less is better)" : ""}; rounds ${spread(ratios)}\n`,
      );
    });
  });
}
process.exit(0);
