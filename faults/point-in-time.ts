/**
 * Restores of a base backup and archived write-ahead log to a point in time, under load: onto the NATS that has the
 * abandoned history's stream, and onto an empty one.
 */
import { appendFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { engineAccount, makePrivateFolder } from "../server/src/platform/engines/account.ts";
import { freePort } from "../server/src/platform/engines/free-port.ts";
import { killNats, startNats } from "../server/src/platform/engines/nats.ts";
import { startPostgres, stopPostgres } from "../server/src/platform/engines/postgres.ts";
import { copyFolder, runPostgresProgram, writableFolder } from "../server/test/clusters.ts";
import { openWitness } from "./evidence.ts";
import { inDatabase, replacing, startPrimary, until, type Replacement } from "./replacements.ts";
import type { World } from "./world.ts";

const archive = (world: World) => join(writableFolder(world.dir), "archive");

export const pointsInTime: Record<string, Replacement> = {
  "point-in-time": restore("a base backup is restored to a point in time, and NATS keeps its stream", () =>
    Promise.resolve(),
  ),

  "point-in-time-fresh-nats": restore(
    "a base backup is restored to a point in time, with an empty NATS",
    async (world) => {
      await killNats(world.dir);
      await rm(join(writableFolder(world.dir), "jetstream"), { recursive: true });
      await startNats(world.dir, { port: world.engines.nats.port });
    },
  ),
};

function restore(summary: string, changeNats: (world: World) => Promise<void>): Replacement {
  /** The point in time, as PostgreSQL writes it, and in milliseconds. */
  let target = { text: "", milliseconds: 0 };
  return {
    summary,
    isWhole: false,
    continues: false,
    setUp: startArchiving,
    prepare: async (world) => {
      await makeBackup(world);
      // What was acknowledged up to now has been committed before this, and must survive.
      const milliseconds = Date.now();
      const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(world.db);
      target = { text: rows[0]?.now ?? "", milliseconds };
    },
    replace: async (world) => {
      await archiveEverything(world);
      await stopPostgres(world.dir);
      await changeNats(world);
      await recover(world, target.text);
      await startPrimary(world, replacing(world));
      return world.dir;
    },
    keptUntil: () => target.milliseconds,
  };
}

async function startArchiving(world: World): Promise<void> {
  const { db } = world;
  await makePrivateFolder(archive(world), await engineAccount());
  await sql`alter system set archive_mode = on`.execute(db);
  await sql`alter system set archive_command = ${sql.lit(`cp %p "${archive(world)}/%f"`)}`.execute(db);
  await stopPostgres(world.dir);
  await startPrimary(world, world.dir);
  await world.ready();
}

async function makeBackup(world: World): Promise<void> {
  const staging = join(writableFolder(world.dir), "backup");
  const from = `--dbname=${world.engines.postgresUrl}`;
  await runPostgresProgram("pg_basebackup", [from, `--pgdata=${staging}`, "--wal-method=none", "--checkpoint=fast"]);
  await copyFolder(staging, join(await world.addCluster("replacing"), "postgres"));
}

/** An operator would lose what is not archived yet; here the point in time lies before that. */
async function archiveEverything({ db }: World): Promise<void> {
  const { rows } = await sql<{ file: string }>`
    with written as (select pg_logical_emit_message(false, 'faults', 'end') as lsn)
    select pg_walfile_name(pg_switch_wal()) as file from written`.execute(db);
  await until("the write-ahead log is archived", async () => {
    const { rows: archived } = await sql`
      select from pg_stat_archiver where last_archived_wal >= ${rows[0]?.file}`.execute(db);
    return archived.length > 0;
  });
}

/** Where no server connects to it. */
async function recover(world: World, target: string): Promise<void> {
  const dir = replacing(world);
  const data = join(dir, "postgres");
  await appendFile(
    join(data, "postgresql.auto.conf"),
    `restore_command = 'cp "${archive(world)}/%f" "%p"'
recovery_target_time = '${target}'
recovery_target_action = promote
archive_mode = off
`,
  );
  await writeFile(join(data, "recovery.signal"), "");
  const { url } = await startPostgres(dir, { port: await freePort() });
  await inDatabase(url, async (db) => {
    await until("the recovery has ended", async () => {
      const { rows } = await sql<{ ended: boolean }>`select not pg_is_in_recovery() as ended`.execute(db);
      return rows[0]?.ended ?? false;
    });
    await openWitness(db);
  });
  await stopPostgres(dir);
}
