/**
 * The event log on three NATS servers with three replicas, under load: a follower is killed, the leader is killed, the
 * leader is frozen, the leader is separated from the others. Every message is delivered once, in order, and no client has
 * to register again.
 */
import { setTimeout as delay } from "node:timers/promises";
import { logNames } from "../server/src/events/stream.ts";
import { conclude, type Problem } from "./conclude.ts";
import { openWitness, readEpoch } from "./evidence.ts";
import type { NatsCluster, NatsServer } from "./nats-cluster.ts";
import { makeOrganization } from "./organization.ts";
import { Random } from "./random.ts";
import { newTally, queueKind, Reader } from "./readers.ts";
import type { Say } from "./report.ts";
import { Senders } from "./senders.ts";
import type { World } from "./world.ts";

const members = 20;
const load = { senders: 10, rate: 100 };
const strikeMilliseconds = 8000;
const betweenMilliseconds = 4000;
const { stream } = logNames("skein");

interface Strike {
  name: string;
  target: (cluster: NatsCluster) => Promise<NatsServer>;
  strike: (cluster: NatsCluster, server: NatsServer) => Promise<void> | void;
  undo: (cluster: NatsCluster, server: NatsServer) => Promise<void> | void;
}

const leader = (cluster: NatsCluster) => cluster.leaderOf(stream);

async function follower(cluster: NatsCluster): Promise<NatsServer> {
  const leading = await leader(cluster);
  const found = cluster.servers.find((server) => server !== leading);
  if (!found) throw new Error("there are three servers");
  return found;
}

const strikes: Strike[] = [
  {
    name: "a follower is killed",
    target: follower,
    strike: (cluster, server) => cluster.kill(server),
    undo: (cluster, server) => cluster.startServer(server),
  },
  {
    name: "the leader is killed",
    target: leader,
    strike: (cluster, server) => cluster.kill(server),
    undo: (cluster, server) => cluster.startServer(server),
  },
  {
    name: "the leader is frozen",
    target: leader,
    strike: (cluster, server) => cluster.pause(server),
    undo: (cluster, server) => cluster.resume(server),
  },
  {
    name: "the leader is separated from the others",
    target: leader,
    strike: (cluster, server) => cluster.cut(server),
    undo: (cluster, server) => cluster.heal(server),
  },
];

export interface NatsFaultsResult {
  seed: number;
  acknowledged: number;
  stored: number;
  refused: number;
  unknown: number;
  queues: number;
  deliveries: number;
  failed_reads: number;
  /** For each fault: the longest time from sending a message to its delivery. */
  worst_delay_milliseconds: Record<string, number>;
  epochs: string;
  findings: Problem[];
}

export async function runNatsFaults(
  world: World,
  cluster: NatsCluster,
  { seed }: { seed: number },
  say: Say,
): Promise<NatsFaultsResult> {
  const random = new Random(seed);
  const organization = await makeOrganization(world, random, { members, channels: 6 });
  await openWitness(world.db);
  const tally = newTally();
  const readers = organization.members.map(
    (member, index) => new Reader(`queue of ${member.name}`, member, queueKind(index, member), random.fork(), tally),
  );
  await Promise.all(readers.map((reader) => reader.start()));
  const epochBefore = await readEpoch(world.db);
  const senders = new Senders(organization, random.fork(), load);
  senders.start();
  await delay(betweenMilliseconds);

  const delays: Record<string, number> = {};
  for (const { name, target, strike, undo } of strikes) {
    const server = await target(cluster);
    tally.worstDelayMilliseconds = 0;
    say(`${senders.acknowledged.length} acknowledged; now ${name} (${server.name})`);
    await strike(cluster, server);
    await delay(strikeMilliseconds);
    await undo(cluster, server);
    await cluster.untilComplete(stream);
    await delay(betweenMilliseconds);
    delays[name] = tally.worstDelayMilliseconds;
    say(`all replicas are current again; worst delay ${tally.worstDelayMilliseconds} ms`);
  }

  await senders.stop();
  const { stored, acknowledged, findings } = await conclude({ world, organization, senders, readers, tally, say });
  const epochAfter = await readEpoch(world.db);
  return {
    seed,
    acknowledged: acknowledged.length,
    stored: stored.length,
    refused: senders.refused,
    unknown: senders.unknown,
    queues: readers.length,
    deliveries: tally.events,
    failed_reads: tally.failedReads,
    worst_delay_milliseconds: delays,
    epochs: epochBefore === epochAfter ? String(epochBefore) : `${epochBefore}, then ${epochAfter}`,
    findings: [
      ...findings,
      ...(epochBefore === epochAfter
        ? []
        : [{ rule: "the log continues", about: "the log", text: `epoch ${epochAfter} followed epoch ${epochBefore}` }]),
    ],
  };
}
