/**
 * The ways to replace a database's history with another one while NATS keeps its stream. Each leaves the abandoned cluster in
 * its own folder, so that it can be inspected afterwards.
 */
import { appendFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { connect, type Db } from "../server/src/platform/db/connect.ts";
import { freePort } from "../server/src/platform/engines/free-port.ts";
import { killPostgres, startPostgres, stopPostgres } from "../server/src/platform/engines/postgres.ts";
import {
  copyFolder,
  copySlot,
  copySnapshots,
  makeStandby,
  promote,
  runPostgresProgram,
  writableFolder,
} from "../server/test/clusters.ts";
import { openWitness, witness } from "./evidence.ts";
import type { World } from "./world.ts";

export interface Replacement {
  summary: string;
  /** Whether the new history has all acknowledged messages. */
  isWhole: boolean;
  /** Whether the log and all queues continue; undefined if both outcomes are possible. */
  continues: boolean | undefined;
  /** Runs before any message is sent. */
  setUp?: (world: World) => Promise<void>;
  /** Runs while messages are sent: prepares the new history. */
  prepare: (world: World) => Promise<void>;
  /** Returns the folder of the abandoned cluster; undefined if it is the same cluster. */
  replace: (world: World) => Promise<string | undefined>;
  /** Everything acknowledged before this time, in milliseconds, has to survive; called after `replace`. */
  keptUntil?: () => number;
}

export const relaySlot = "skein_relay";
const patienceMilliseconds = 60_000;
/** How many messages a lagging standby does not have. */
const lagMilliseconds = 2000;

export const replacing = (world: World) => join(world.dir, "replacing");

export const replacements: Record<string, Replacement> = {
  directory: {
    summary: "the data directory is put back to an older copy",
    isWhole: false,
    continues: false,
    prepare: async (world) => {
      // Like a volume snapshot: the files at one moment.
      await killPostgres(world.dir);
      await copyFolder(join(world.dir, "postgres"), join(world.dir, "postgres.copy"));
      await startPrimary(world, world.dir);
    },
    replace: async (world) => {
      await killPostgres(world.dir);
      const abandoned = await setAside(world);
      await rename(join(world.dir, "postgres.copy"), join(world.dir, "postgres"));
      await startPrimary(world, world.dir);
      return abandoned;
    },
  },

  dump: {
    summary: "a dump is restored into a new cluster, which takes the old one's place",
    isWhole: false,
    continues: false,
    prepare: async (world) => {
      const file = join(writableFolder(world.dir), "dump");
      await runPostgresProgram("pg_dump", ["--format=custom", `--file=${file}`, world.engines.postgresUrl]);
      const dir = await world.addCluster("replacing");
      const { url } = await startPostgres(dir, { port: await freePort() });
      await runPostgresProgram("pg_restore", ["--exit-on-error", `--dbname=${url}`, file]);
      await inDatabase(url, openWitness);
      await stopPostgres(dir);
    },
    replace: async (world) => {
      await stopPostgres(world.dir);
      await startPrimary(world, replacing(world));
      return world.dir;
    },
  },

  standby: {
    summary: "a standby that has everything is promoted",
    isWhole: true,
    continues: true,
    setUp: startStandby,
    prepare: untilSlotIsYoung,
    replace: async (world) => {
      await untilCaughtUp(world);
      await stopPostgres(world.dir); // a clean stop sends everything to the standby
      await failOver(world, { withSnapshots: true });
      return world.dir;
    },
  },

  "lagging-standby": {
    summary: "a standby that lags behind is promoted",
    isWhole: false,
    continues: false,
    setUp: startStandby,
    prepare: async (world) => {
      await untilSlotIsYoung(world);
      await untilCaughtUp(world);
      await stopPostgres(replacing(world));
    },
    replace: async (world) => {
      await delay(lagMilliseconds);
      await killPostgres(world.dir);
      await failOver(world);
      return world.dir;
    },
  },

  "killed-primary": {
    summary: "the primary is killed and its asynchronous standby promoted, which lacks a moment at most",
    isWhole: false,
    continues: undefined,
    setUp: startStandby,
    prepare: untilSlotIsYoung,
    replace: async (world) => {
      await killPostgres(world.dir);
      await failOver(world);
      return world.dir;
    },
  },

  "synchronous-standby": {
    summary: "the primary is killed and its synchronous standby promoted",
    isWhole: true,
    continues: undefined,
    setUp: async (world) => {
      await startStandby(world);
      await sql`alter system set synchronous_standby_names = 'ANY 1 (walreceiver)'`.execute(world.db);
      await sql`select pg_reload_conf()`.execute(world.db);
    },
    prepare: untilSlotIsYoung,
    replace: async (world) => {
      await killPostgres(world.dir);
      await failOver(world);
      return world.dir;
    },
  },

  "copied-slot": {
    summary: "the relay's slot is replaced by a copy that is ahead of it",
    isWhole: true,
    continues: false,
    prepare: () => Promise.resolve(),
    replace: async (world) => {
      const relays = world.processes.filter(({ name }) => name.startsWith("relay"));
      await Promise.all(relays.map((relay) => relay.kill()));
      await delay(lagMilliseconds);
      await sql`select pg_create_logical_replication_slot('later', 'pgoutput')`.execute(world.db);
      await until("the slot is free", async () => {
        const drop = sql`select pg_drop_replication_slot(${relaySlot})`.execute(world.db);
        return drop.then(
          () => true,
          () => false,
        );
      });
      await sql`select pg_copy_logical_replication_slot('later', ${relaySlot})`.execute(world.db);
      await sql`select pg_drop_replication_slot('later')`.execute(world.db);
      await Promise.all(relays.map((relay) => relay.startAndWait()));
      return undefined;
    },
  },
};

/** Uses the port that the servers connect to. */
export async function startPrimary(world: World, dir: string): Promise<void> {
  await startPostgres(dir, { port: world.engines.postgres.port });
}

async function setAside(world: World): Promise<string> {
  const dir = await world.addCluster("abandoned");
  await rename(join(world.dir, "postgres"), join(dir, "postgres"));
  return dir;
}

async function startStandby(world: World): Promise<void> {
  // The standby gets its slots late, and they need everything that it has received.
  await sql`alter system set wal_keep_size = '4GB'`.execute(world.db);
  await sql`select pg_reload_conf()`.execute(world.db);
  const dir = await world.addCluster("replacing");
  await makeStandby({ dir: world.dir, postgresUrl: world.engines.postgresUrl }, dir);
  await startPostgres(dir, { port: await freePort() });
}

/**
 * Promotes the standby and gives it the primary's slots; without their snapshots they may skip transactions.
 */
async function failOver(world: World, { withSnapshots = false } = {}): Promise<void> {
  const dir = replacing(world);
  await stopPostgres(dir);
  if (withSnapshots) await copySnapshots(world.dir, dir);
  for (const slot of [relaySlot, witness]) await copySlot(slot, world.dir, dir);
  // A promotion also changes synchronous_standby_names.
  await appendFile(join(dir, "postgres", "postgresql.auto.conf"), "synchronous_standby_names = ''\n");
  await startPrimary(world, dir);
  await promote(dir);
}

/** The relay's slot needs nothing that is older than the standby. */
async function untilSlotIsYoung({ db }: World): Promise<void> {
  await until("the relay's slot is younger than the standby", async () => {
    await sql`checkpoint`.execute(db);
    const { rows } = await sql<{ young: boolean }>`
      select (select restart_lsn from pg_replication_slots where slot_name = ${relaySlot}) >=
        (select restart_lsn from pg_replication_slots where slot_name = ${witness}) as young`.execute(db);
    return rows[0]?.young ?? false;
  });
}

/** Waits until the standby has everything committed so far. */
export async function untilCaughtUp({ db }: World, standby = "walreceiver"): Promise<void> {
  const { rows } = await sql<{ lsn: string }>`select pg_current_wal_flush_lsn()::text as lsn`.execute(db);
  await until("the standby has caught up", async () => {
    const { rows: standbys } = await sql`select from pg_stat_replication
      where application_name = ${standby} and replay_lsn >= ${rows[0]?.lsn}::pg_lsn`.execute(db);
    return standbys.length > 0;
  });
}

export async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMilliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${what}`);
    await delay(100);
  }
}

export async function inDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = connect({ url, connections: 1, name: "faults" });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
