/**
 * Takes a server under load through an upgrade from the previous release to this one, back, and forth again: expand, start
 * new processes one by one, roll back, upgrade again, contract. A balancer sends requests to nodes that are ready, as in
 * front of a real server. Messages must be accepted, stored and delivered as without an upgrade; no request may fail that
 * a client cannot repeat.
 */
import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { sql } from "kysely";
import { migrate } from "../server/src/platform/db/migrate.ts";
import { planMigrations } from "../server/src/platform/db/migration-plan.ts";
import { release } from "../server/src/platform/release.ts";
import { Balancer } from "./balancer.ts";
import { conclude, type Problem } from "./conclude.ts";
import { openWitness } from "./evidence.ts";
import { makeOrganization } from "./organization.ts";
import { previousVersion } from "./previous-release.ts";
import { thisRelease, type Program } from "./processes.ts";
import { Random } from "./random.ts";
import { newTally, queueKind, Reader } from "./readers.ts";
import type { Say } from "./report.ts";
import { Senders } from "./senders.ts";
import type { World } from "./world.ts";

/** How long the load continues between two steps. */
const phaseMilliseconds = 5000;
const backfillMilliseconds = 120_000;
const channels = 12;
const shortName = "faults";

/** Settings of all processes: a node announces that it stops before it does. */
export const upgradeEnvironment = { SKEIN_DRAIN_DELAY_SECONDS: "2" };

/** Migrations of an imagined next change, on the busiest table, with every mechanism there is. */
const sample = {
  "9001-lengths.sql": `-- phase: expand
    create table upgrade_lengths (message_id bigint primary key, length int not null);
    alter table messages add column upgrade_note text;
    create function note_length() returns trigger language plpgsql as $$ begin
      insert into upgrade_lengths values (new.id, length(new.content)) on conflict do nothing;
      return null;
    end $$;
    create trigger note_length after insert on messages for each row execute function note_length();`,
  "9001-lengths.backfill.sql": `-- table: messages
-- key: id
insert into upgrade_lengths select id, length(content) from messages where id > $1 and id <= $2 on conflict do nothing;`,
  "9002-index.sql": `-- phase: expand
-- transaction: none
create index concurrently upgrade_index on messages (id) where upgrade_note is not null;`,
  "9003-contract.sql": `-- phase: contract
-- oldest release: ${release}
-- needs backfill: 9001-lengths
alter table messages drop column upgrade_note;`,
};

export interface UpgradeOptions {
  seed: number;
  rate: number;
  senders: number;
  queues: number;
}

export interface UpgradeResult {
  releases: string;
  seed: number;
  seconds: number;
  acknowledged: number;
  stored: number;
  refused: number;
  unknown: number;
  stored_unacknowledged: number;
  queues: number;
  expired_queues: number;
  deliveries: number;
  failed_reads: number;
  worst_delay_milliseconds: number;
  backfilled: string;
  findings: Problem[];
}

export async function runUpgrade(
  world: World,
  previous: Program,
  options: UpgradeOptions,
  say: Say,
): Promise<UpgradeResult> {
  const random = new Random(options.seed);
  const create = async () => {
    await command(world, previous, "realm", "create", shortName);
    return shortName;
  };
  const size = { members: Math.ceil(options.queues * 0.8), channels };
  const plain = await makeOrganization(world, random, size, { create });
  await openWitness(world.db);
  const balancer = new Balancer(world.nodes);
  await balancer.start();
  const organization = balancer.inFrontOf(plain);
  const tally = newTally();
  const readers = Array.from({ length: options.queues }, (_, index) => {
    const member = organization.members[index % organization.members.length] ?? organization.owner;
    return new Reader(`queue ${index + 1} of ${member.name}`, member, queueKind(index, member), random.fork(), tally);
  });
  const senders = new Senders(organization, random.fork(), options);
  // The rest registers on the way, with either release.
  const late = readers.splice(0, Math.floor(readers.length / 4));
  const arrived = [...readers];
  const admit = async () => {
    const next = late.splice(0, 5);
    arrived.push(...next);
    await Promise.all(next.map((reader) => reader.start()));
  };
  await Promise.all(readers.map((reader) => reader.start()));

  const begun = performance.now();
  senders.start();
  const problems: Problem[] = [];
  const expect = (rule: string, text: string, holds: boolean) => {
    if (!holds) problems.push({ rule, about: "upgrade", text });
  };
  const step = async (what: string, work: () => Promise<unknown>) => {
    say(`${seconds(begun)} s: ${what}; ${senders.acknowledged.length} acknowledged`);
    await work();
    await admit();
    await delay(phaseMilliseconds);
  };
  /** Relays and workers first, api nodes last, one after the other. */
  const replaceAll = async (program: Program, meanwhile?: () => Promise<void>) => {
    const order = world.processes.toSorted((one, other) => Number(isApi(one.name)) - Number(isApi(other.name)));
    for (const process of order) {
      if (process === order.at(-1)) await meanwhile?.();
      await process.replace(program);
      await world.ready();
      say(`  ${seconds(begun)} s: ${process.name} is replaced`);
    }
  };

  await delay(phaseMilliseconds);
  const early = await refusal(world, thisRelease);
  expect("start refused", `before expand this release said: ${early}`, early.includes("skein migrate --expand"));
  const from = await sampleFolder(world);
  const url = world.engines.postgresUrl;
  await step("expand", async () => {
    await command(world, thisRelease, "migrate", "--expand");
    await migrate(url, { from, phase: "expand" });
  });
  await step(`replace ${previousVersion} by ${release}`, () => replaceAll(thisRelease));
  await step(`roll back to ${previousVersion}`, () => replaceAll(previous));
  await step(`replace ${previousVersion} by ${release} again`, () =>
    replaceAll(thisRelease, async () => {
      const outcome = await migrate(url, { from, phase: "contract" }).catch((error: unknown) => String(error));
      const isRefused = typeof outcome === "string" && outcome.includes(`(${previousVersion})`);
      expect("contract refused", `with an older node: ${JSON.stringify(outcome)}`, isRefused);
    }),
  );
  await step("wait for the backfill, and contract", async () => {
    await untilBackfilled(url, from);
    await command(world, thisRelease, "migrate", "--contract");
    await migrate(url, { from, phase: "contract" });
  });
  const afterwards = await refusal(world, previous);
  expect("start refused", `after contract the previous release said: ${afterwards}`, /not compatible/.test(afterwards));

  await senders.stop();
  const { stored, acknowledged, findings } = await conclude({
    world,
    organization,
    senders,
    readers: arrived,
    tally,
    say,
  });
  balancer.stop();
  const { rows } = await sql<{ messages: number; lengths: number }>`
    select (select count(*) from messages) as messages, (select count(*) from upgrade_lengths) as lengths`.execute(
    world.db,
  );
  const { messages = 0, lengths = -1 } = rows[0] ?? {};
  expect("backfill", `${lengths} of ${messages} messages are covered`, messages === lengths);
  return {
    releases: `${previousVersion}, ${release}`,
    seed: options.seed,
    seconds: Number(seconds(begun)),
    acknowledged: acknowledged.length,
    stored: stored.length,
    refused: senders.refused,
    unknown: senders.unknown,
    stored_unacknowledged: stored.length - acknowledged.length,
    queues: arrived.length,
    expired_queues: arrived.filter(({ isExpired }) => isExpired).length,
    deliveries: tally.events,
    failed_reads: tally.failedReads,
    worst_delay_milliseconds: tally.worstDelayMilliseconds,
    backfilled: `${lengths} of ${messages}`,
    findings: [
      ...findings,
      ...senders.unrepeatable.map((text) => ({ rule: "clients can repeat", about: "senders", text })),
      ...problems,
    ],
  };
}

const isApi = (name: string): boolean => name.startsWith("api");

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(0);

/** This release's migrations are there already; the runner knows applied ones by name, so the sample alone is enough. */
async function sampleFolder({ dir }: World): Promise<string> {
  const folder = await mkdtemp(join(dir, "migrations-"));
  for (const [name, text] of Object.entries(sample)) await writeFile(join(folder, name), text);
  return folder;
}

const environmentOf = ({ engines }: World): NodeJS.ProcessEnv => ({
  ...process.env,
  SKEIN_DATABASE_URL: engines.postgresUrl,
  SKEIN_NATS_URL: engines.natsUrl,
  SKEIN_FILES_DIR: join(engines.dir, "files"),
  SKEIN_ROLES: "worker",
  SKEIN_HEALTH_PORT: "0",
});

/** Runs a command as an operator does. */
export async function command(world: World, { file, node }: Program, ...args: string[]): Promise<void> {
  await promisify(execFile)(node, [file, ...args], { env: environmentOf(world) });
}

/** What a process says that refuses to start. */
async function refusal(world: World, { file, node }: Program): Promise<string> {
  try {
    await promisify(execFile)(node, [file, "serve"], { env: environmentOf(world), timeout: 30_000 });
    return "nothing: it started";
  } catch (error) {
    return (error as { stderr?: string }).stderr ?? String(error);
  }
}

async function untilBackfilled(url: string, from: string): Promise<void> {
  const deadline = performance.now() + backfillMilliseconds;
  const isDone = async () =>
    (await planMigrations(url, { from })).backfills.every(({ finishedAt }) => finishedAt !== null);
  while (!(await isDone()) && performance.now() < deadline) await delay(200);
}
