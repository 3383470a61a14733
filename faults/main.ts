/**
 * Tests that durability and delivery guarantees hold while processes are killed: `npm run faults`. Exit code 0: they held;
 * 1: they did not, and the folder with all logs and data is kept.
 */
import { randomInt } from "node:crypto";
import { command as declareCommand, print, runCommand, UsageError } from "../server/src/cli/command.ts";
import { runAuditLedger } from "./audit-ledger.ts";
import { Cells, runMovingOrganization } from "./cells.ts";
import { demandFailoverSlots, failovers } from "./failover.ts";
import { runLosingLog } from "./lose-log.ts";
import { NatsCluster } from "./nats-cluster.ts";
import { runNatsFaults } from "./nats-faults.ts";
import { pointsInTime } from "./point-in-time.ts";
import { runReplacingHistory } from "./replace-history.ts";
import { replacements, type Replacement } from "./replacements.ts";
import { describe, type Result, type Say } from "./report.ts";
import { previousRelease } from "./previous-release.ts";
import { runUnderLoad } from "./under-load.ts";
import { command, runUpgrade, upgradeEnvironment } from "./upgrade.ts";
import { World, type WorldOptions } from "./world.ts";

const title = {
  name: "faults",
  summary: "Kill processes at random under load, and check that nothing is lost, repeated or out of order.",
};

const everyHistory = "all";
/** Seconds of load before and after an organization moves. */
const longestBesideMove = 30;

const faults = declareCommand({
  options: {
    seconds: { type: "number", value: "N", default: 300, description: "How long to send messages." },
    rate: { type: "number", value: "N", default: 200, description: "Minimum messages per second." },
    senders: { type: "number", value: "N", default: 20, description: "Number of users who send." },
    queues: { type: "number", value: "N", default: 100, description: "Number of event queues to read." },
    "kill-every": { type: "number", value: "SECONDS", default: 5, description: "How often a process is killed." },
    seed: { type: "number", value: "N", description: "Repeat the random choices of an earlier run." },
    "lose-log": {
      type: "boolean",
      description:
        "Instead: delete the log's files, then its slot, and check that clients register again and miss nothing.",
    },
    history: {
      type: "string",
      value: "HOW",
      description: `Instead: replace the database's history with another one, and check that the log does not mix them: ${[...Object.keys(replacements), everyHistory].join(", ")}.`,
    },
    upgrade: {
      type: "boolean",
      description:
        "Instead: upgrade from the previous release, roll back, upgrade again and contract, with both releases serving.",
    },
    failover: {
      type: "string",
      value: "HOW",
      description: `Instead: promote a standby that synchronizes the relay's slot (PostgreSQL 17 or newer): ${[...Object.keys(failovers), everyHistory].join(", ")}.`,
    },
    "nats-cluster": {
      type: "boolean",
      description: "Instead: kill, freeze and separate servers of a NATS cluster that keeps three replicas of the log.",
    },
    cells: {
      type: "boolean",
      description:
        "Instead: move an organization to another cell while nodes, engines, routers, the directory and the move are killed.",
    },
    "point-in-time": {
      type: "boolean",
      description: "Instead: restore a base backup to a point in time, onto the old NATS and onto an empty one.",
    },
    audit: {
      type: "boolean",
      description:
        "Instead: kill processes during administrative changes, and check that each change has its entry in the audit log.",
    },
    keep: { type: "boolean", description: "Keep the folder with logs and data even if everything holds." },
  },
  run: async ({ options, json, answer }) => {
    const seed = options.seed ?? randomInt(1_000_000);
    const say = (line: string) => void (json ? process.stderr.write(`${line}\n`) : print(line));
    if (options.failover !== undefined) await demandFailoverSlots();
    const histories = chooseHistories(options);
    say(`seed ${seed}`);
    const run = async (work: (world: World) => Promise<Result>, start?: Start) => {
      const result = await inWorld(work, { keep: options.keep, say, start });
      answer(result, describe(result));
      if (result.findings.length > 0) process.exitCode = 1;
    };
    if (histories) {
      for (const [name, replacement] of histories) {
        say(`\n${name}: ${replacement.summary}`);
        await run((world) => runReplacingHistory(world, { name, seed, replacement }, say));
      }
    } else if (options.upgrade) {
      const previous = await previousRelease(say);
      await run((world) => runUpgrade(world, previous, { ...options, seed }, say), {
        world: { program: previous, environment: upgradeEnvironment },
        migrate: (world) => command(world, previous, "migrate"),
      });
    } else if (options["nats-cluster"]) {
      const cluster = await NatsCluster.start();
      const settings = { SKEIN_NATS_URL: cluster.url, SKEIN_LOG_REPLICAS: "3" };
      try {
        await run((world) => runNatsFaults(world, cluster, { seed }, say), { world: { environment: settings } });
      } finally {
        const isKept = options.keep || process.exitCode === 1;
        await cluster.stop({ keep: isKept });
        if (isKept) say(`Logs and data of NATS are in ${cluster.dir}`);
      }
    } else if (options.cells) await withCells(options, seed, { say, answer });
    else if (options.audit)
      await run((world) => runAuditLedger(world, { ...options, seed, killEverySeconds: options["kill-every"] }, say));
    else if (options["lose-log"]) await run((world) => runLosingLog(world, { seed }, say));
    else await run((world) => runUnderLoad(world, { ...options, seed, killEverySeconds: options["kill-every"] }, say));
  },
});

/** Two worlds at once. */
async function withCells(
  { seconds, keep, ...options }: { seconds: number; keep: boolean; "kill-every": number },
  seed: number,
  { say, answer }: { say: Say; answer: (result: Result, text: string) => void },
): Promise<void> {
  const cells = await Cells.start();
  let isKept = true;
  try {
    const times = { seconds: Math.min(seconds, longestBesideMove), killEverySeconds: options["kill-every"] };
    const result = await runMovingOrganization(cells, { seed, ...times }, say);
    answer(result, describe(result));
    if (result.findings.length > 0) process.exitCode = 1;
    isKept = keep || result.findings.length > 0;
  } finally {
    await cells.stop({ keep: isKept });
    if (isKept) say(`Logs and data are in ${cells.first.dir}, ${cells.second.dir} and ${cells.directory.dir}`);
  }
}

function chooseHistories(options: {
  history: string | undefined;
  failover: string | undefined;
  "point-in-time": boolean;
}): [string, Replacement][] | undefined {
  if (options["point-in-time"]) return Object.entries(pointsInTime);
  if (options.failover !== undefined) return choose("--failover", failovers, options.failover);
  return options.history === undefined ? undefined : choose("--history", replacements, options.history);
}

function choose(option: string, cases: Record<string, Replacement>, name: string): [string, Replacement][] {
  const chosen = Object.entries(cases).filter(([known]) => name === everyHistory || name === known);
  if (chosen.length === 0) throw new UsageError(`Unknown ${option} case ${name}`);
  return chosen;
}

/** How a world begins, if not as usual. */
interface Start {
  world: WorldOptions;
  /** Instead of this release's own migration. */
  migrate?: (world: World) => Promise<void>;
}

/** Runs a scenario in a new world, which is deleted afterwards unless there are findings. */
async function inWorld(
  work: (world: World) => Promise<Result>,
  { keep, say, start }: { keep: boolean; say: Say; start: Start | undefined },
): Promise<Result> {
  const world = await World.create(start?.world);
  const interrupt = () => void world.stop({ keep: false }).then(() => process.exit(130));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
  let isKept = true;
  try {
    await start?.migrate?.(world);
    await world.start({ isMigrated: start?.migrate !== undefined });
    const result = await work(world);
    isKept = keep || result.findings.length > 0;
    return result;
  } finally {
    await world.stop({ keep: isKept });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.removeListener(signal, interrupt);
    if (isKept) say(`Logs and data are in ${world.dir}`);
  }
}

/** `--history` or `--failover` alone runs all cases. */
const withDefault = (argv: string[]): string[] =>
  argv.flatMap((word, index) =>
    (word === "--history" || word === "--failover") && !/^[a-z]/.test(argv[index + 1] ?? "")
      ? [word, everyHistory]
      : [word],
  );

try {
  await runCommand(title, faults, withDefault(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
