import { createHash } from "node:crypto";
import { open, readdir, stat } from "node:fs/promises";
import { sql } from "kysely";
import type { Config } from "../../config.ts";
import type { Db } from "../../platform/db/connect.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";
import { checkSecret } from "../doctor/settings.ts";
import { failed, ok, reasonOf, report, strictOption, warning, type Finding } from "../finding.ts";
import { checkFileReferences, fileOptions } from "../referenced-files.ts";

export const backupCheck = command({
  options: {
    backup: {
      type: "string",
      value: "PATH",
      description: "The newest backup of the database: a file of pg_dump, or the folder of a base backup.",
    },
    "max-age": { type: "number", value: "HOURS", default: 26, description: "How old the backup may be." },
    ...fileOptions,
    strict: strictOption,
  },
  run: async ({ options, answer }) => {
    const checks = await withDatabase(async (db, config) => [
      ...(options.backup === undefined ? [noBackup] : [await checkBackup(options.backup, options["max-age"])]),
      await checkArchive(db),
      ...(await checkSecret(config, db)),
      ...keptSettings(config),
      ...(await checkFileReferences(config, db, options)),
      ok("event log", "needs no backup: after a restore a new epoch begins, and clients register again"),
    ]);
    report(checks, answer, options);
  },
});

const noBackup = warning(
  "database backup",
  "not checked",
  "Add --backup PATH with the newest dump or base backup; docs/operating/backup.md has the commands that make them.",
);

const hour = 3_600_000;

/** Age and kind; whether a base backup is complete, pg_verifybackup tells. */
async function checkBackup(path: string, maxHours: number): Promise<Finding> {
  const name = "database backup";
  const remedy = "Make a new one (docs/operating/backup.md), and look into why the last run failed.";
  try {
    const found = await stat(path);
    const kind = found.isDirectory() ? await folderKind(path) : await fileKind(path);
    if (kind === undefined) return failed(name, `${path} is neither a dump of pg_dump nor a base backup`, remedy);
    const hours = (Date.now() - found.mtimeMs) / hour;
    const text = `${kind}, ${hours < 1 ? `${Math.round(hours * 60)} minutes` : `${Math.round(hours)} hours`} old`;
    return hours <= maxHours ? ok(name, text) : failed(name, `${text}, more than ${maxHours} hours`, remedy);
  } catch (error) {
    return failed(name, `${path}: ${reasonOf(error)}`, remedy);
  }
}

async function folderKind(path: string): Promise<string | undefined> {
  const names = await readdir(path);
  if (names.includes("toc.dat")) return "a dump in a folder";
  if (names.includes("base.tar") || names.includes("base.tar.gz") || names.includes("base.tar.zst"))
    return "a base backup (tar)";
  return names.includes("PG_VERSION") && names.includes("backup_label") ? "a base backup" : undefined;
}

/** A dump that was interrupted has its header, but no content after it. */
const leastBytes = 1024;

async function fileKind(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(256);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    const text = head.toString("latin1", 0, bytesRead);
    if ((await file.stat()).size < leastBytes) return undefined;
    if (text.startsWith("PGDMP")) return "a dump (custom format)";
    return /-- PostgreSQL database (cluster )?dump/.test(text) ? "a dump (plain SQL)" : undefined;
  } finally {
    await file.close();
  }
}

/** Without an archive a restore loses everything since the last backup. */
async function checkArchive(db: Db): Promise<Finding> {
  const { rows } = await sql<{
    is_on: boolean;
    has_target: boolean;
    archived: Date | null;
    is_failing: boolean;
    failed_file: string | null;
  }>`
    select current_setting('archive_mode') <> 'off' as is_on,
      current_setting('archive_command') <> '' or current_setting('archive_library') <> '' as has_target,
      last_archived_time as archived, last_failed_wal as failed_file,
      coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as is_failing
    from pg_stat_archiver`.execute(db);
  const [row] = rows;
  const name = "WAL archive";
  if (!row?.is_on)
    return warning(
      name,
      "off: a restore loses everything since the last backup",
      "Set archive_mode and archive_command (docs/operating/backup.md), or accept that loss.",
    );
  if (!row.has_target)
    return failed(
      name,
      "archive_mode is on, but archive_command is empty: nothing is archived, and the write-ahead log fills the disk",
      "Set archive_command (docs/operating/backup.md), or set archive_mode to off.",
    );
  if (row.is_failing)
    return failed(
      name,
      `archiving ${row.failed_file} failed`,
      "Correct archive_command; PostgreSQL's log has its error. Until it succeeds, the write-ahead log fills the disk.",
    );
  const newest =
    row.archived === null ? "nothing archived yet" : `newest segment archived at ${row.archived.toISOString()}`;
  return ok(name, newest);
}

/** Settings that cannot be recovered from the database. A fingerprint shows whether a copy is the same. */
function keptSettings(config: Config): Finding[] {
  const fingerprint = (value: string) => createHash("sha256").update(value).digest("hex").slice(0, 12);
  return Object.entries({ SKEIN_SECRET: config.secret, SKEIN_VAPID_KEY: process.env["SKEIN_VAPID_KEY"] ?? "" })
    .filter(([, value]) => value !== "")
    .map(([name, value]) =>
      ok(`copy of ${name}`, `keep one with the backups; its SHA-256 begins with ${fingerprint(value)}`),
    );
}
