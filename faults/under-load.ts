/** The main scenario: kills one process after another under load. */
import { setTimeout as delay } from "node:timers/promises";
import { conclude, type Problem } from "./conclude.ts";
import { openWitness } from "./evidence.ts";
import { Killer, targetsOf } from "./killer.ts";
import { makeOrganization } from "./organization.ts";
import { Random } from "./random.ts";
import { newTally, queueKind, Reader } from "./readers.ts";
import { longestSilences, Progress, type Say } from "./report.ts";
import { Senders } from "./senders.ts";
import type { World } from "./world.ts";

export interface LoadOptions {
  seed: number;
  seconds: number;
  rate: number;
  senders: number;
  queues: number;
  killEverySeconds: number;
}

export interface LoadResult {
  seed: number;
  seconds: number;
  acknowledged: number;
  acknowledged_per_second: number;
  refused: number;
  unknown: number;
  /** Messages that were stored although their sender got no response. */
  stored_unacknowledged: number;
  queues: number;
  deliveries: number;
  failed_reads: number;
  worst_delay_milliseconds: number;
  kills: Record<string, number>;
  /** By killed process: the longest time without an acknowledgement until the next kill, in milliseconds. */
  longest_silence: Record<string, number>;
  failed_starts: Record<string, number>;
  findings: Problem[];
}

/**
 * Shorter runs must not lose or repeat anything either, but how many messages they accept depends too much on the machine
 * and on what is killed.
 */
const loadSeconds = 240;
/** A run takes at most this many times as long as requested. */
const longestRun = 4;
const checkMilliseconds = 100;
/** This share of the queues is registered while messages are being sent. */
const lateShare = 0.2;

export async function runUnderLoad(world: World, options: LoadOptions, say: Say): Promise<LoadResult> {
  const random = new Random(options.seed);
  const organization = await makeOrganization(world, random, {
    members: Math.ceil(options.queues * 0.8),
    channels: 24,
  });
  await openWitness(world.db);
  const tally = newTally();
  const readers = Array.from({ length: options.queues }, (_, index) => {
    // There are fewer members than queues: some have two.
    const member = organization.members[index % organization.members.length] ?? organization.owner;
    return new Reader(`queue ${index + 1} of ${member.name}`, member, queueKind(index, member), random.fork(), tally);
  });
  const senders = new Senders(organization, random.fork(), options);
  const killer = new Killer(targetsOf(world), random.fork(), options.killEverySeconds * 1000);
  const late = Math.floor(options.queues * lateShare);
  await Promise.all(readers.slice(late).map((reader) => reader.start()));

  const begun = performance.now();
  senders.start();
  killer.start();
  const progress = new Progress({ senders, killer, tally, say });
  const latecomers = readers.slice(0, late).map(async (reader) => {
    await delay(random.between(0, options.seconds * 500));
    await reader.start();
  });
  await delay(options.seconds * 1000);
  // Where restarts take long, the run goes on until it has killed enough to say something.
  const fewestKills = Math.floor(options.seconds / options.killEverySeconds / 2);
  while (killer.kills.length < fewestKills && performance.now() - begun < options.seconds * longestRun)
    await delay(checkMilliseconds);
  const seconds = (performance.now() - begun) / 1000;
  const inTime = senders.acknowledged.length;
  await Promise.all([senders.stop(), killer.stop(), ...latecomers]);
  progress.stop();
  const { markers, stored, findings } = await conclude({ world, organization, senders, readers, tally, say });
  const perSecond = inTime / seconds;
  return {
    seed: options.seed,
    seconds: Math.round(seconds),
    acknowledged: senders.acknowledged.length,
    acknowledged_per_second: Math.round(perSecond),
    refused: senders.refused,
    unknown: senders.unknown,
    stored_unacknowledged: stored.length - senders.acknowledged.length - markers.length,
    queues: readers.length,
    deliveries: tally.events,
    failed_reads: tally.failedReads,
    worst_delay_milliseconds: progress.worstDelayMilliseconds,
    kills: countBy(killer.kills.map(({ name }) => name)),
    longest_silence: longestSilences(killer.kills, senders.acknowledgedAt),
    failed_starts: Object.fromEntries(world.processes.map(({ name, failedStarts }) => [name, failedStarts])),
    findings: [
      ...findings,
      ...(options.seconds >= loadSeconds && perSecond < options.rate
        ? [
            {
              rule: "load",
              about: "senders",
              text: `${Math.round(perSecond)} acknowledged a second, not ${options.rate}`,
            },
          ]
        : []),
      ...(killer.kills.length < fewestKills
        ? [{ rule: "load", about: "kills", text: `only ${killer.kills.length}` }]
        : []),
    ],
  };
}

function countBy(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
