/** One step: more users arrive, some time passes, then everything is measured for a while. */
import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "../connection.ts";
import { copyQueue } from "../organization.ts";
import type { Stage } from "../stage.ts";
import { silenceMilliseconds } from "./crowd.ts";
import { growing, sampleBacklog, type Sample } from "./backlog.ts";
import type { Histogram } from "./histogram.ts";
import { patienceMilliseconds } from "./ledger.ts";
import type { Load } from "./load.ts";
import { readUsage, type Cast, type Usage } from "./processes.ts";
import { readQueue, registerRequest } from "./registration.ts";
import type { Row, StepResult } from "./verdict.ts";

const arrivalsPerSecond = 400;
const sampleMilliseconds = 5000;
/** A reader whose connection hangs must have had the time to begin again. */
const drainMilliseconds = silenceMilliseconds + 30_000;

export interface StepOptions {
  /** How many users there are in the end. */
  users: number;
  /** Between the last arrival and the measurement, in seconds. */
  settleSeconds: number;
  seconds: number;
}

/** Time passes, and time-outs and the ledger are looked after. */
async function pass(load: Load, milliseconds: number, onTick?: () => Promise<void>): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    await delay(Math.max(1, Math.min(250, end - performance.now())));
    load.tidy();
    await onTick?.();
  }
}

/**
 * All new users get copies of the queue of one of them, as if they had registered at the same moment; ten thousand
 * registrations would take longer than everything else. Nothing is sent meanwhile, so that the ledger knows who was there.
 */
export async function arrive(stage: Stage, load: Load, url: string, count: number): Promise<void> {
  load.pause();
  const deadline = performance.now() + patienceMilliseconds;
  while ((load.inFlight > 0 || load.ledger.countOpen() > 0) && performance.now() < deadline) await pass(load, 50);
  const newcomers = load.add(count);
  const [first] = newcomers;
  if (!first) return;
  const connection = await Connection.open(url);
  const { status, body } = await connection.send(registerRequest(first.account));
  connection.close();
  const text = body.toString("latin1");
  const model = readQueue({ status, text });
  if (!model) throw new Error(`the registration failed: ${status} ${text.slice(0, 300)}`);
  const readers = newcomers.map(({ account }) => account);
  const queues = await copyQueue(stage, { ...model, reader: first.account }, readers);
  for (const [index, user] of newcomers.entries()) {
    const queue = queues[index];
    if (!queue) throw new Error("there is a queue for each user");
    load.crowd.begin(user, { ...model, ...queue });
    if (index % 20 === 19) await pass(load, (20 / arrivalsPerSecond) * 1000);
  }
  load.resume();
  for (const user of newcomers) load.engage(user);
}

/** Nothing new happens, and what is under way has time to arrive. Then every message can be judged. */
export async function finish(load: Load): Promise<void> {
  load.pause();
  const deadline = performance.now() + drainMilliseconds;
  while ((load.inFlight > 0 || load.ledger.countOpen() > 0) && performance.now() < deadline) await pass(load, 50);
  await pass(load, 1000);
  load.ledger.settle(performance.now(), load.crowd.users);
}

export async function measureStep(
  stage: Stage,
  load: Load,
  cast: Cast,
  { settleSeconds, seconds }: Omit<StepOptions, "users">,
): Promise<() => StepResult> {
  await pass(load, settleSeconds * 1000);
  load.startMeasuring();
  load.ledger.startMeasuring();
  const { deliveries, late } = load.ledger;
  const before = await readUsage(cast);
  const begun = performance.now();
  const samples: Sample[] = [];
  let sampledAt = begun;
  let memoryShare = before.memoryShare;
  await pass(load, seconds * 1000, async () => {
    if (performance.now() - sampledAt < sampleMilliseconds) return;
    sampledAt = performance.now();
    samples.push(await sampleBacklog(stage, load));
  });
  const elapsed = (performance.now() - begun) / 1000;
  const after = await readUsage(cast);
  memoryShare = Math.max(memoryShare, after.memoryShare);
  const { measures, ledger } = load;
  const delivered = ledger.deliveries - deliveries;
  load.ledger.isMeasuring = false;
  const all = measures.all();
  const times = [...measures.times].toSorted(([one], [other]) => one.localeCompare(other));
  /** The ledger judges the last messages later. */
  return () => ({
    users: load.crowd.users.length,
    minutes: elapsed / 60,
    requests: measures.requests / elapsed,
    reads: measures.reads / elapsed,
    events: measures.events / elapsed,
    eventTypes: [...measures.eventTypes]
      .map(([type, count]): [string, number] => [type, count / elapsed])
      .toSorted(([, one], [, other]) => other - one),
    deliveries: delivered / elapsed,
    all: rowOf("all", all),
    rows: times.map(([name, each]) => rowOf(name, each)),
    delivery: {
      p50: ledger.delays.percentile(0.5),
      p99: ledger.delays.percentile(0.99),
      highest: ledger.delays.highest,
    },
    latenessP99: measures.lateness.percentile(0.99),
    failedShare: measures.failures / Math.max(1, measures.requests),
    failures: [...measures.failedNames],
    refusals: [...measures.refusals],
    cpu: cpuShares(before, after, elapsed),
    memory: [...after.memory],
    memoryShare,
    growing: growing(samples),
    late: ledger.late - late,
    findings: [...ledger.findings],
    findingCount: ledger.findingCount,
  });
}

const rowOf = (name: string, times: Histogram): Row => ({
  name,
  count: times.count,
  mean: times.mean,
  p50: times.percentile(0.5),
  p99: times.percentile(0.99),
});

const cpuShares = (before: Usage, after: Usage, seconds: number): [string, number][] =>
  [...after.cpu].map(([name, total]) => [name, (total - (before.cpu.get(name) ?? 0)) / seconds]);
