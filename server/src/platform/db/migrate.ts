/**
 * Numbered SQL files, forward only, each in a transaction of its own, each applied once. A file that was applied must
 * not change afterwards; its checksum is kept to notice.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Logger, runMigrations } from "graphile-worker";
import pg from "pg";

const folder = join(import.meta.dirname, "migrations");
/** Two processes that migrate at once do it one after the other. */
const lockKey = 7_303_014_229;

export interface MigrationStep {
  name: string;
  milliseconds: number;
}

/** Applies what is missing; gives back what it applied, in order. */
export async function migrate(url: string, onStep?: (step: MigrationStep) => void): Promise<MigrationStep[]> {
  const client = new pg.Client({ connectionString: url, application_name: "skein migrate" });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [lockKey]);
    await client.query(`create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`);
    const { rows } = await client.query<{ name: string; checksum: string }>(
      "select name, checksum from schema_migrations",
    );
    const applied = new Map(rows.map((row) => [row.name, row.checksum]));
    const steps: MigrationStep[] = [];
    for (const { name, sql, checksum } of await readMigrations()) {
      const known = applied.get(name);
      if (known === checksum) continue;
      if (known !== undefined) throw new Error(`${name} was changed after it had been applied; write a new migration`);
      const begun = performance.now();
      await apply(client, name, sql, checksum);
      const step = { name, milliseconds: Math.round(performance.now() - begun) };
      steps.push(step);
      onStep?.(step);
    }
    // The job queue keeps its tables, in a schema of its own, by itself.
    await runMigrations({ connectionString: url, logger: new Logger(() => () => undefined) });
    return steps;
  } finally {
    await client.end();
  }
}

/** The names of migrations this program has and the database has not. */
export async function missingMigrations(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: "skein migrate" });
  await client.connect();
  try {
    const { rows } = await client.query<{ there: boolean }>(
      "select to_regclass('schema_migrations') is not null as there",
    );
    const names = (await readMigrations()).map((migration) => migration.name);
    if (!rows[0]?.there) return names;
    const applied = await client.query<{ name: string }>("select name from schema_migrations");
    const known = new Set(applied.rows.map((row) => row.name));
    return names.filter((name) => !known.has(name));
  } finally {
    await client.end();
  }
}

async function readMigrations() {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

async function apply(client: pg.Client, name: string, sql: string, checksum: string) {
  await client.query("begin");
  try {
    await client.query(sql);
    await client.query("insert into schema_migrations (name, checksum) values ($1, $2)", [name, checksum]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}
