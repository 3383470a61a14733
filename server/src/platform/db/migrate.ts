/**
 * Applies numbered SQL files, forward only and each once. An applied file must not change; its stored checksum detects that.
 *
 * Expand migrations come before the new release, and the previous one can run with them. Contract migrations need all
 * processes of older releases gone, and their backfills complete; after them there is no way back to an older release.
 */
import { Logger, runMigrations } from "graphile-worker";
import pg from "pg";
import { compareReleases, release } from "../release.ts";
import { lockKeys } from "./advisory-locks.ts";
import { listBackfills, storeBackfill } from "./backfills.ts";
import { runConcurrently } from "./concurrent-statements.ts";
import { readMigrations, type Migration, type Phase } from "./migration-files.ts";
import { lockMilliseconds, retryLocks, takeSessionLock, takeTableLocks, type Waiting } from "./migration-locks.ts";
import { olderProcesses } from "./processes.ts";
import { noTables } from "./schema-state.ts";

export interface MigrationStep {
  name: string;
  phase: Phase;
  milliseconds: number;
}

/** A contract migration that cannot be applied yet. */
export interface PostponedMigration {
  name: string;
  reason: string;
}

export interface MigrationOptions extends Waiting {
  /** The folder with the migrations. */
  from?: string;
  /** Only this phase; without it everything that can be applied now. */
  phase?: Phase;
  onStep?: (step: MigrationStep) => void;
}

export interface MigrationResult {
  applied: MigrationStep[];
  postponed: PostponedMigration[];
}

/** Applies missing migrations in their order. */
export async function migrate(url: string, options: MigrationOptions = {}): Promise<MigrationResult> {
  const client = new pg.Client({ connectionString: url, application_name: "skein migrate" });
  client.on("error", () => undefined); // the statement that runs, or the next one, fails with it
  await client.connect();
  try {
    await takeSessionLock(client, lockKeys.migrations, () =>
      options.onWait?.("Another process is migrating this database; waiting for it to finish."),
    );
    await client.query(`set lock_timeout = ${lockMilliseconds}`);
    await retryLocks("The table of migrations", options, client, () => makeTable(client));
    const migrations = await readMigrations(options.from);
    const { pending, isFirstInstall } = await findPending(client, migrations);
    demandExpanded(pending, isFirstInstall, options.phase);
    const result: MigrationResult = { applied: [], postponed: [] };
    for (const migration of pending) {
      if (isLeftOut(migration, isFirstInstall, options.phase)) continue;
      const step = await applyOrPostpone(client, migration, { ...options, url, isFirstInstall });
      if ("reason" in step) result.postponed.push(step);
      else {
        result.applied.push(step);
        options.onStep?.(step);
      }
    }
    if (options.phase !== "contract") await migrateJobQueue(url, client, options);
    return result;
  } finally {
    await client.end();
  }
}

/** Migrations that the database lacks, and whether it is new. Throws if an applied one was changed. */
async function findPending(client: pg.Client, migrations: Migration[]) {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    "select name, checksum from schema_migrations",
  );
  const applied = new Map(rows.map((row) => [row.name, row.checksum]));
  const changed = migrations.find(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum);
  if (changed) throw new Error(`${changed.name} was changed after it had been applied; write a new migration`);
  return { pending: migrations.filter(({ name }) => !applied.has(name)), isFirstInstall: rows.length === 0 };
}

function demandExpanded(pending: Migration[], isFirstInstall: boolean, phase: Phase | undefined): void {
  if (phase !== "contract" || !pending.some((migration) => migration.phase === "expand")) return;
  throw new Error(
    isFirstInstall
      ? noTables
      : "The database lacks migrations of the phase expand: run `skein migrate --expand`, then start this release.",
  );
}

/** Left to a later upgrade step by an earlier release; the previous release does not need what it removes. */
export const isOfEarlierRelease = ({ oldestRelease }: Migration): boolean =>
  oldestRelease !== undefined && compareReleases(oldestRelease, release) < 0;

/** A new database has no older processes, and the phase expand includes what an earlier upgrade did not complete. */
const isLeftOut = (migration: Migration, isFirstInstall: boolean, phase: Phase | undefined): boolean =>
  phase === "expand" && migration.phase === "contract" && !isFirstInstall && !isOfEarlierRelease(migration);

interface Run extends MigrationOptions {
  url: string;
  /** There were no tables. */
  isFirstInstall: boolean;
}

async function applyOrPostpone(
  client: pg.Client,
  migration: Migration,
  options: Run,
): Promise<MigrationStep | PostponedMigration> {
  const { name, phase } = migration;
  const begun = performance.now();
  const work = () => apply(client, migration, options);
  if (phase === "contract" && !options.isFirstInstall) {
    // Processes that start compare the schema under the same lock: none starts between the check and the commit.
    await takeSessionLock(client, lockKeys.contraction, () =>
      options.onWait?.("Waiting for a process that is starting."),
    );
    try {
      const reason = await findObstacle(client, migration);
      if (reason !== undefined && options.phase === undefined && !isOfEarlierRelease(migration))
        return { name, reason };
      if (reason !== undefined) throw new Error(`${name} cannot be applied yet: ${reason}`);
      await retryLocks(name, options, client, work);
    } finally {
      // If the connection was lost, so is the lock.
      await client.query("select pg_advisory_unlock($1)", [lockKeys.contraction]).catch(() => undefined);
    }
  } else await retryLocks(name, options, client, work);
  return { name, phase, milliseconds: Math.round(performance.now() - begun) };
}

/** Why a contract migration has to wait, and what to do; undefined if it can be applied. */
export async function findObstacle(client: pg.Client, migration: Migration): Promise<string | undefined> {
  const { oldestRelease, needsBackfills } = migration;
  const older = oldestRelease === undefined ? [] : await olderProcesses(client, oldestRelease);
  if (older.length > 0) {
    const list = older.map((process) => `${process.name} (${process.release})`).join(", ");
    return `it needs release ${oldestRelease} or newer everywhere, and these processes run an older one: ${list}. Upgrade or stop them.`;
  }
  const backfills = needsBackfills.length === 0 ? [] : await listBackfills(client);
  for (const name of needsBackfills) {
    const found = backfills.find((backfill) => backfill.name === name);
    if (found?.finishedAt) continue;
    const problem = found?.problem ? ` Its last attempt failed: ${found.problem}` : "";
    const percent = Math.floor((found?.progress ?? 0) * 100);
    return `the backfill ${name} is at ${percent} %. Workers of this release do it; wait for it.${problem}`;
  }
  return undefined;
}

/** Alters nothing that exists already: that would wait for everyone who reads the table, such as a backup. */
async function makeTable(client: pg.Client): Promise<void> {
  await client.query(`create table if not exists schema_migrations (
    name text primary key, checksum text not null, applied_at timestamptz not null default now(),
    breaks_older boolean not null default false, phase text, oldest_release text)`);
  const { rows } = await client.query<{ attname: string }>(`select attname from pg_attribute
    where attrelid = to_regclass('schema_migrations') and not attisdropped`);
  const there = new Set(rows.map(({ attname }) => attname));
  const columns = { breaks_older: "boolean not null default false", phase: "text", oldest_release: "text" };
  const missing = Object.entries(columns).filter(([column]) => !there.has(column));
  if (missing.length > 0)
    await client.query(
      `alter table schema_migrations ${missing.map(([column, type]) => `add column ${column} ${type}`).join(", ")}`,
    );
}

async function apply(client: pg.Client, migration: Migration, options: Run): Promise<void> {
  const { name, sql, checksum, phase, oldestRelease, backfill } = migration;
  // If it fails or the process is killed in between, the next run finds what is there and does the rest.
  if (!migration.isTransactional) await runConcurrently(client, migration, options);
  await client.query("begin");
  try {
    if (migration.isTransactional) {
      if (!options.isFirstInstall) await takeTableLocks(client, sql);
      await client.query(sql);
    }
    if (backfill) await storeBackfill(client, backfill, options);
    await client.query(
      `insert into schema_migrations (name, checksum, breaks_older, phase, oldest_release) values ($1, $2, $3, $4, $5)`,
      // Release 0.1.0 knows breaks_older only.
      [name, checksum, phase === "contract", phase, oldestRelease ?? null],
    );
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** The job queue's library manages its tables itself, in a separate schema. */
async function migrateJobQueue(url: string, client: pg.Client, options: MigrationOptions): Promise<void> {
  const jobs = new pg.Pool({ connectionString: url, max: 2, options: `-c lock_timeout=${lockMilliseconds}` });
  jobs.on("error", () => undefined); // the next statement fails with it
  jobs.on("connect", (connection) => connection.on("error", () => undefined));
  try {
    const logger = new Logger(() => () => undefined);
    await retryLocks("The job queue", options, client, () => runMigrations({ pgPool: jobs, logger }));
  } finally {
    await jobs.end();
  }
}
