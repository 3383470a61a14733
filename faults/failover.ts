/**
 * Failovers with PostgreSQL 17 or newer, where the standby synchronizes the relay's slot by itself: a standby is promoted
 * under load, with and without lag. `synchronized_standby_slots` keeps the event log from getting ahead of the standby, so
 * that the log continues even when the primary was killed.
 */
import { execFile } from "node:child_process";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { sql } from "kysely";
import { findPostgres } from "../server/src/platform/engines/binaries.ts";
import { freePort } from "../server/src/platform/engines/free-port.ts";
import {
  findRunningPostgres,
  killPostgres,
  startPostgres,
  stopPostgres,
} from "../server/src/platform/engines/postgres.ts";
import { copySlot, makeStandby, promote } from "../server/test/clusters.ts";
import { witness } from "./evidence.ts";
import {
  inDatabase,
  relaySlot,
  replacing,
  startPrimary,
  until,
  untilCaughtUp,
  type Replacement,
} from "./replacements.ts";
import type { World } from "./world.ts";

const run = promisify(execFile);
const oldest = 17;
/** The standby's slot on the primary, and its application name. */
const standby = "standby";
const lagMilliseconds = 3000;

export async function demandFailoverSlots(): Promise<void> {
  const { major, bin } = await findPostgres();
  if (major < oldest)
    throw new Error(
      `Failover slots need PostgreSQL ${oldest}, but ${bin} has ${major}. To run this with another one, for example from ` +
        "`scripts/install-newer-postgres DIR`, set SKEIN_POSTGRES_BIN to the folder that contains postgres and initdb.",
    );
}

export const failovers: Record<string, Replacement> = {
  "planned-switchover": {
    summary: "the primary is stopped, and its standby promoted",
    isWhole: true,
    continues: true,
    setUp: (world) => startStandby(world, { holdsBackLog: true }),
    prepare: untilSynchronized,
    replace: async (world) => {
      await untilCaughtUp(world, standby);
      await stopPostgres(world.dir); // a clean stop sends everything to the standby
      return failOver(world);
    },
  },

  "killed-primary-failover": {
    summary: "the primary is killed, and its asynchronous standby promoted",
    isWhole: false,
    continues: true,
    setUp: (world) => startStandby(world, { holdsBackLog: true }),
    prepare: untilSynchronized,
    replace: async (world) => {
      await killPostgres(world.dir);
      return failOver(world);
    },
  },

  "killed-primary-synchronous": {
    summary: "the primary is killed, and its synchronous standby promoted",
    isWhole: true,
    continues: true,
    setUp: async (world) => {
      await startStandby(world, { holdsBackLog: true });
      await sql`alter system set synchronous_standby_names = 'ANY 1 (standby)'`.execute(world.db);
      await sql`select pg_reload_conf()`.execute(world.db);
    },
    prepare: untilSynchronized,
    replace: async (world) => {
      await killPostgres(world.dir);
      return failOver(world);
    },
  },

  "lagging-failover": {
    summary: "a standby that lags behind the event log is promoted",
    isWhole: false,
    continues: false,
    setUp: (world) => startStandby(world, { holdsBackLog: false }),
    prepare: async (world) => {
      await untilSynchronized(world);
      await untilCaughtUp(world, standby);
      await stopPostgres(replacing(world));
    },
    replace: async (world) => {
      await delay(lagMilliseconds);
      await killPostgres(world.dir);
      return failOver(world);
    },
  },
};

async function startStandby(world: World, { holdsBackLog }: { holdsBackLog: boolean }): Promise<void> {
  const { db, engines } = world;
  // Our own slot needs everything since its creation.
  await sql`alter system set wal_keep_size = '4GB'`.execute(db);
  await sql`select pg_reload_conf()`.execute(db);
  await sql`select pg_create_physical_replication_slot(${standby}, true)`.execute(db);
  const dir = await world.addCluster("replacing");
  await makeStandby({ dir: world.dir, postgresUrl: engines.postgresUrl }, dir);
  await appendFile(
    join(dir, "postgres", "postgresql.auto.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${engines.postgres.port} user=skein dbname=skein application_name=${standby}'
primary_slot_name = '${standby}'
sync_replication_slots = on
hot_standby_feedback = on
`,
  );
  await startPostgres(dir, { port: await freePort() });
  await untilCaughtUp(world, standby);
  if (!holdsBackLog) return;
  await sql`alter system set synchronized_standby_slots = 'standby'`.execute(db);
  await sql`select pg_reload_conf()`.execute(db);
}

/** The standby has a copy of the relay's slot that survives a promotion. */
async function untilSynchronized(world: World): Promise<void> {
  const running = await findRunningPostgres(replacing(world));
  if (!running) throw new Error("the standby is not running");
  await inDatabase(running.url, (db) =>
    until("the standby has the relay's slot", async () => {
      await sql`select pg_log_standby_snapshot()`.execute(world.db); // lets the slot advance
      const { rows } = await sql<{ ready: boolean }>`
        select synced and not temporary and invalidation_reason is null as ready from pg_replication_slots
        where slot_name = ${relaySlot}`.execute(db);
      return rows[0]?.ready ?? false;
    }),
  );
}

/** Promotes the standby, and returns the folder of the abandoned primary. */
async function failOver(world: World): Promise<string> {
  const dir = replacing(world);
  await stopPostgres(dir);
  // Our own witness is older than the standby could synchronize; its copy needs the snapshots of the primary.
  await copySlot(witness, world.dir, dir);
  const snapshots = (of: string) => join(of, "postgres", "pg_logical", "snapshots");
  await run("cp", ["-an", `${snapshots(world.dir)}/.`, snapshots(dir)]);
  await startPrimary(world, dir);
  await promote(dir);
  return world.dir;
}
