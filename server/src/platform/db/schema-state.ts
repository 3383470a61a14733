/** Compares the database's migrations with those of this release, and decides whether this release can run with them. */
import pg from "pg";
import { compareReleases, release } from "../release.ts";
import { lockKeys } from "./advisory-locks.ts";
import { readMigrations } from "./migration-files.ts";
import { takeSessionLock } from "./migration-locks.ts";

export interface SchemaState {
  /** No migration has been applied. */
  isEmpty: boolean;
  /** Expand migrations of this release that the database lacks. */
  missing: string[];
  /** Contract migrations of this release that have not been applied. It runs without them. */
  uncontracted: string[];
  /** Applied migrations that this release does not know, because a newer release migrated the database. */
  newer: string[];
  /** Those of them that this release cannot work with, and the oldest release that can; null if that is unknown. */
  breaking: { name: string; oldestRelease: string | null }[];
}

export const noTables = "The database has no tables yet: run `skein migrate` first.";

/** Throws with what to do if this release cannot run with the database. */
export function demandKnownSchema({ isEmpty, missing, breaking }: SchemaState): void {
  if (isEmpty) throw new Error(noTables);
  if (breaking.length > 0) {
    const releases = breaking.flatMap(({ oldestRelease }) => oldestRelease ?? []);
    const oldest = releases.toSorted(compareReleases).at(-1);
    const names = breaking.map(({ name }) => name).join(", ");
    throw new Error(
      `A newer release has migrated the database (${names}), and this release, ${release}, is not compatible with it. ` +
        (oldest === undefined ? "Start the newer release." : `Start release ${oldest} or newer.`),
    );
  }
  if (missing.length > 0)
    throw new Error(
      `The database lacks ${missing.length} migration(s) that release ${release} needs (${missing.join(", ")}). ` +
        "Run `skein migrate --expand` of this release first.",
    );
}

export interface CheckedSchema {
  state: SchemaState;
  close: () => Promise<void>;
}

/**
 * Compares on a connection with this name, and keeps it until `close`. Contract migrations look for processes of older
 * releases by this name, under the same lock: either they see this process, or it sees what they changed.
 */
export async function checkSchema(url: string, name: string): Promise<CheckedSchema> {
  const client = new pg.Client({ connectionString: url, application_name: name });
  client.on("error", () => undefined); // while it is idle; the server's own connections report what is wrong
  await client.connect();
  const close = () => client.end().catch(() => undefined);
  try {
    await takeSessionLock(client, lockKeys.contraction, () => undefined, "shared");
    const state = await readSchemaState(client);
    await client.query("select pg_advisory_unlock_shared($1)", [lockKeys.contraction]);
    demandKnownSchema(state);
    return { state, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export async function compareSchema(url: string): Promise<SchemaState> {
  const client = new pg.Client({ connectionString: url, application_name: "skein migrate" });
  await client.connect();
  try {
    return await readSchemaState(client);
  } finally {
    await client.end();
  }
}

export async function readSchemaState(client: pg.Client, from?: string): Promise<SchemaState> {
  const migrations = await readMigrations(from);
  const applied = await readApplied(client);
  const known = new Set(migrations.map(({ name }) => name));
  const there = new Set(applied.map(({ name }) => name));
  const newer = applied.filter(({ name }) => !known.has(name));
  const lacking = (phase: string) =>
    migrations.filter((migration) => migration.phase === phase && !there.has(migration.name)).map(({ name }) => name);
  return {
    isEmpty: applied.length === 0,
    missing: lacking("expand"),
    uncontracted: lacking("contract"),
    newer: newer.map(({ name }) => name),
    breaking: newer
      .filter(({ breaks, oldest }) => breaks && (oldest === null || compareReleases(oldest, release) > 0))
      .map(({ name, oldest }) => ({ name, oldestRelease: oldest })),
  };
}

interface Applied {
  name: string;
  breaks: boolean;
  oldest: string | null;
}

async function readApplied(client: pg.Client): Promise<Applied[]> {
  const { rows } = await client.query<{ there: boolean }>(
    "select to_regclass('schema_migrations') is not null as there",
  );
  if (!rows[0]?.there) return [];
  // Read as JSON, because a table created by an earlier release lacks columns.
  const applied = await client.query<Applied>(`
    select name, coalesce((to_jsonb(m) ->> 'breaks_older')::boolean, false) as breaks, to_jsonb(m) ->> 'oldest_release' as oldest
    from schema_migrations m order by name`);
  return applied.rows;
}
