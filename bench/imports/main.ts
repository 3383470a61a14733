/**
 * `npm run bench:imports -- FILE… [--kills 10] [--seed 7]`: imports each export as `skein import run` does, into a server on which
 * people write meanwhile. Measures the rate, the most memory that the importing process needed, and how long sends took, before and
 * during the run. With `--kills` it imports the same file into a second organization, killing the process at random moments and
 * starting it again, and compares the two organizations. Writes IMPORTS.md if every export is large and was also killed. The import kit
 * writes large exports: `node make-samples.mjs DIR --large 2000000`.
 */
import { parseArgs } from "node:util";
import { Random } from "../../faults/random.ts";
import { besideBusyCore } from "../busy-core.ts";
import { addUsers, makeRealm } from "../organization.ts";
import { buildRelease } from "../release.ts";
import type { Account } from "../request.ts";
import { withStage, type Stage } from "../stage.ts";
import { figure, percentile } from "../statistics.ts";
import { attempt, type Kill, type Run } from "./attempt.ts";
import { compareOrganizations } from "./compare.ts";
import { bars, misses, writeReport, type Measured, type Percentiles } from "./report.ts";
import { startWriters, type Sent } from "./writers.ts";

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: "string", default: "0" }, seed: { type: "string", default: String(Date.now() % 1e6) } },
});
if (files.length === 0) throw new Error("Usage: npm run bench:imports -- FILE… [--kills N] [--seed N]");
const kills = Number(values.kills);

const warmUpSeconds = 15;
const baselineSeconds = 45;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const until = (seconds: number): (() => boolean) => {
  const end = performance.now() + seconds * 1000;
  return () => performance.now() > end;
};

/** The first organization is served at the server's own URL. An import demands that there is an owner. */
async function makeOrganization(stage: Stage, name = ""): Promise<{ realm: number; owner: Account }> {
  const realm = await makeRealm(stage, name);
  const [owner] = await addUsers(stage, realm, 1);
  if (!owner) throw new Error("no user was added");
  await stage.pool.query("update users set role = 100 where id = $1", [owner.id]);
  return { realm, owner };
}

async function measure(stage: Stage, file: string): Promise<Measured> {
  const release = await buildRelease(stage);
  const { realm, owner } = await makeOrganization(stage);
  const write = await startWriters(stage, realm, owner);
  await write(until(warmUpSeconds));
  const before = await write(until(baselineSeconds));
  // Whatever it does, an import takes time from the others.
  const busy = await besideBusyCore(() => write(until(baselineSeconds)));
  const importing: { run?: Run | undefined; isOver: boolean } = { isOver: false };
  const phases: { name: string; since: number }[] = [];
  const onPhase = (name: string): void => void phases.push({ name, since: performance.now() });
  const ended = attempt(stage, { release, file, onPhase })
    .then((run) => (importing.run = run))
    .finally(() => (importing.isOver = true));
  const during = await write(() => importing.isOver);
  await ended;
  const { run } = importing;
  if (!run) throw new Error("something else killed the import");
  const times = { before: percentiles(before), busy: percentiles(busy), during: percentiles(during) };
  say(`${figure(run.messages)} messages in ${figure(run.seconds)} s: ${figure(run.messages / run.seconds)} a second`);
  say(`peak memory ${figure(run.peakMiB)} MiB`);
  say(`sends before: p50 ${figure(times.before.p50)} ms, p99 ${figure(times.before.p99)} ms`);
  say(`sends beside a busy core: p50 ${figure(times.busy.p50)} ms, p99 ${figure(times.busy.p99)} ms`);
  say(`sends during the import: p50 ${figure(times.during.p50)} ms, p99 ${figure(times.during.p99)} ms`);
  sayWhen(phases, during);
  const differences = kills > 0 ? await killed(stage, { release, file, realm, undisturbed: run }) : undefined;
  return { file, run, times, kills, differences };
}

function percentiles(sent: readonly Sent[]): Percentiles {
  const times = sent.map(({ milliseconds }) => milliseconds);
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

/** What the import did while people waited: the slowest phases first. */
function sayWhen(phases: readonly { name: string; since: number }[], during: readonly Sent[]): void {
  const slowest = phases
    .map(({ name, since }, index) => {
      const next = phases[index + 1]?.since ?? Infinity;
      return { name, sent: during.filter(({ due }) => due >= since && due < next) };
    })
    .filter(({ sent }) => sent.length > 0)
    .map(({ name, sent }) => ({ name, count: sent.length, ...percentiles(sent) }))
    .toSorted((one, other) => other.p99 - one.p99);
  for (const { name, count, p50, p99 } of slowest)
    say(`  ${name}: ${count} sends, p50 ${figure(p50)} ms, p99 ${figure(p99)} ms`);
}

/** A third while the export is read, which begins anew each time; the others spread over the rest of the run. */
function chooseKills(random: Random, { seconds, storingSeconds }: Run): Kill[] {
  const whileReading = Math.floor(kills / 3);
  const whileStoring = kills - whileReading;
  const upTo = (limit: number): number => random.next() * limit * 1000;
  return [
    ...Array.from({ length: whileReading }, () => upTo((seconds - storingSeconds) / 2)).map((milliseconds): Kill => ({
      during: "reading",
      milliseconds,
    })),
    ...Array.from({ length: whileStoring }, () => upTo((2 * storingSeconds) / (whileStoring + 1))).map(
      (milliseconds): Kill => ({ during: "storing", milliseconds }),
    ),
  ];
}

/** The same into another organization, killed again and again. */
async function killed(
  stage: Stage,
  { release, file, realm, undisturbed }: { release: string; file: string; realm: number; undisturbed: Run },
): Promise<string[]> {
  const random = new Random(Number(values.seed));
  const { realm: other } = await makeOrganization(stage, "killed");
  say(`seed ${values.seed}`);
  for (const [index, kill] of chooseKills(random, undisturbed).entries()) {
    if ((await attempt(stage, { release, file, realm: "killed", kill })) !== undefined) {
      throw new Error(`it ended before kill ${index + 1}; try another seed`);
    }
    say(`killed after ${figure(kill.milliseconds / 1000)} s of ${kill.during} (${index + 1} of ${kills})`);
  }
  await attempt(stage, { release, file, realm: "killed" });
  const differences = await compareOrganizations(stage, realm, other);
  say(differences.length === 0 ? "both organizations are equal" : `they differ:\n${differences.join("\n")}`);
  return differences;
}

const breakOff = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => breakOff.abort());
const measured: Measured[] = [];
for (const file of files) {
  say(file);
  measured.push(await withStage({ isQuick: false, say, signal: breakOff.signal }, (stage) => measure(stage, file)));
}
for (const miss of measured.flatMap(misses)) {
  say(miss);
  process.exitCode = 1;
}
if (kills > 0 && measured.every(({ run }) => run.messages >= bars.messages)) await writeReport(measured);
