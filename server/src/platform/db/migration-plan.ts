/** What `skein migrate` would do: the pending migrations, what their statements do, and how large their tables are. */
import pg from "pg";
import { listBackfills, type BackfillState } from "./backfills.ts";
import { readMigrations, type Migration, type Phase } from "./migration-files.ts";
import { findObstacle } from "./migrate.ts";
import { connectedProcesses, type ConnectedProcess } from "./processes.ts";
import { readSchemaState } from "./schema-state.ts";
import { splitStatements } from "./sql-statements.ts";
import { effectsOf, type Effect } from "./statement-effects.ts";

export interface TablePlan {
  table: string;
  lock: string;
  rewrites: boolean;
  scans: boolean;
  /** PostgreSQL's estimate; null if the table is new, or has never been analyzed. */
  rows: number | null;
  bytes: number | null;
}

export interface StatementPlan {
  statement: string;
  /** False if Skein does not know what PostgreSQL does for this statement. */
  isKnown: boolean;
  tables: TablePlan[];
}

export interface PlannedMigration {
  name: string;
  phase: Phase;
  isTransactional: boolean;
  /** The oldest release that can run with it. */
  oldestRelease: string | null;
  /** Declared with it: workers run it afterwards. */
  backfill: string | null;
  /** Why it has to wait; null if it can be applied now. */
  obstacle: string | null;
  statements: StatementPlan[];
}

export interface MigrationPlan {
  migrations: PlannedMigration[];
  backfills: BackfillState[];
  /** Applied migrations of a newer release. */
  newer: string[];
  /** Server processes that are connected at the moment. */
  processes: ConnectedProcess[];
}

export async function planMigrations(
  url: string,
  { from, phase }: { from?: string; phase?: Phase | undefined } = {},
): Promise<MigrationPlan> {
  const client = new pg.Client({ connectionString: url, application_name: "skein migrate" });
  await client.connect();
  try {
    const { missing, uncontracted, newer } = await readSchemaState(client, from);
    const pending = new Set([...missing, ...uncontracted]);
    const migrations = (await readMigrations(from)).filter(
      ({ name, ...migration }) => pending.has(name) && (phase === undefined || migration.phase === phase),
    );
    const planned: PlannedMigration[] = [];
    for (const migration of migrations) planned.push(await planMigration(client, migration));
    return {
      migrations: planned,
      backfills: await listBackfills(client),
      newer,
      processes: await connectedProcesses(client),
    };
  } finally {
    await client.end();
  }
}

async function planMigration(client: pg.Client, migration: Migration): Promise<PlannedMigration> {
  const { name, phase, isTransactional, oldestRelease, backfill, sql } = migration;
  const statements: StatementPlan[] = [];
  for (const statement of splitStatements(sql)) {
    const effects = effectsOf(statement);
    const tables: TablePlan[] = [];
    for (const effect of effects ?? []) tables.push(await planTable(client, effect));
    statements.push({ statement, isKnown: effects !== undefined, tables });
  }
  return {
    name,
    phase,
    isTransactional,
    oldestRelease: oldestRelease ?? null,
    backfill: backfill?.name ?? null,
    obstacle: phase === "contract" ? ((await findObstacle(client, migration)) ?? null) : null,
    statements,
  };
}

async function planTable(client: pg.Client, { table, ofIndex, lock, rewrites, scans }: Effect): Promise<TablePlan> {
  const { rows } = await client.query<{ name: string; rows: string | number | null; bytes: string | number }>(
    `select oid::regclass::text as name, nullif(reltuples, -1)::bigint as rows, pg_total_relation_size(oid) as bytes
     from pg_class
     where oid = coalesce(to_regclass(nullif($1, '')), (select indrelid from pg_index where indexrelid = to_regclass($2)))`,
    [table, ofIndex ?? null],
  );
  const [found] = rows;
  const name = found?.name ?? (table === "" ? `(the table of ${ofIndex})` : table);
  return {
    table: name,
    lock,
    rewrites,
    scans,
    rows: typeof found?.rows === "string" || typeof found?.rows === "number" ? Number(found.rows) : null,
    bytes: found === undefined ? null : Number(found.bytes),
  };
}
