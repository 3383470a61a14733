/**
 * The numbered SQL files and what their headers declare. A header is a line of its own:
 *
 * - `-- phase: expand` — the previous release can run with it. `-- phase: contract` — it needs all processes of older
 *   releases gone.
 * - `-- oldest release: 0.2.0` — the oldest release that can run with it; required in a contract migration.
 * - `-- transaction: none` — its statements run one by one, outside of a transaction, as concurrent indexes require.
 * - `-- needs backfill: NAME` — it waits until this backfill is complete.
 * - `-- small tables: NAME, …` — tables with so few rows that a statement may scan or change all of them at once.
 *
 * A file `NAME.backfill.sql` beside `NAME.sql` declares a backfill (backfills.ts).
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { compareReleases, release } from "../release.ts";

const folder = join(import.meta.dirname, "migrations");

/** The schema of the first release: these files have no headers. */
const lastOfFirstRelease = "0034-send-checks.sql";
export const isOfFirstRelease = (name: string): boolean => name <= lastOfFirstRelease;

export type Phase = "expand" | "contract";

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
  phase: Phase;
  /** The oldest release that can run with it; undefined in the phase expand. */
  oldestRelease: string | undefined;
  isTransactional: boolean;
  /** Names of backfills that must be complete before it. */
  needsBackfills: string[];
  smallTables: string[];
  backfill: BackfillFile | undefined;
}

export interface BackfillFile {
  name: string;
  /** The table it goes through, in the order of this column, an integer. */
  table: string;
  key: string;
  /** Changes the rows whose key is above `$1` and up to `$2`. */
  statement: string;
}

export async function readMigrations(from = folder): Promise<Migration[]> {
  const names = (await readdir(from)).filter((name) => name.endsWith(".sql")).toSorted();
  const texts = new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(from, name), "utf8")] as const)),
  );
  return names
    .filter((name) => !name.endsWith(backfillEnding))
    .map((name) => readMigration(name, texts.get(name) ?? "", texts.get(name.replace(/\.sql$/, backfillEnding))));
}

const backfillEnding = ".backfill.sql";

export function readMigration(name: string, sql: string, backfill?: string): Migration {
  const phase = header(sql, "phase") ?? "expand";
  if (phase !== "expand" && phase !== "contract") throw new Error(`${name}: unknown phase "${phase}"`);
  const transaction = header(sql, "transaction");
  if (transaction !== undefined && transaction !== "none")
    throw new Error(`${name}: unknown transaction mode "${transaction}"`);
  const oldestRelease = header(sql, "oldest release");
  if ((phase === "contract") !== (oldestRelease !== undefined))
    throw new Error(`${name}: a contract migration, and no other, needs a line "-- oldest release: ${release}"`);
  if (oldestRelease !== undefined) compareReleases(oldestRelease, release); // throws if it is not a release
  return {
    name,
    sql,
    checksum: createHash("sha256").update(sql).digest("hex"),
    phase,
    oldestRelease,
    isTransactional: transaction === undefined,
    needsBackfills: list(header(sql, "needs backfill")),
    smallTables: list(header(sql, "small tables")),
    backfill: backfill === undefined ? undefined : readBackfill(name, backfill),
  };
}

function readBackfill(migration: string, sql: string): BackfillFile {
  const [table, key] = [header(sql, "table"), header(sql, "key")];
  if (table === undefined || key === undefined)
    throw new Error(`the backfill of ${migration} needs the lines "-- table: …" and "-- key: …"`);
  const statement = sql
    .replaceAll(/^--.*$/gm, "")
    .trim()
    .replace(/;$/, "");
  if (!statement.includes("$1") || !statement.includes("$2"))
    throw new Error(`the backfill of ${migration} has to change the rows whose key is above $1 and up to $2`);
  return { name: migration.replace(/\.sql$/, ""), table, key, statement };
}

const header = (sql: string, name: string): string | undefined =>
  new RegExp(`^-- ${name}: *(.+?) *$`, "m").exec(sql)?.[1];

const list = (text: string | undefined): string[] => text?.split(/, */) ?? [];
