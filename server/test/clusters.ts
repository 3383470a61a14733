/** Copies, dumps and replicates whole PostgreSQL clusters, for tests that replace one with another. */
import { execFile } from "node:child_process";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { engineAccount } from "../src/platform/engines/account.ts";
import { findPostgres } from "../src/platform/engines/binaries.ts";

const run = promisify(execFile);

/** Runs a PostgreSQL program as the account that owns its files. */
export async function runPostgresProgram(name: string, args: string[]): Promise<void> {
  const { bin } = await findPostgres();
  await run(join(bin, name), args, {
    cwd: "/",
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
    ...(await engineAccount()),
  });
}

/** Preserves owners and modes. */
export async function copyFolder(from: string, to: string): Promise<void> {
  if (process.getuid?.() === 0) await run("cp", ["-a", from, to]);
  else await cp(from, to, { recursive: true, preserveTimestamps: true });
}

/** A folder that the engines' account can write to. */
export const writableFolder = (dir: string) => join(dir, "nats");

/**
 * Makes the data folder of a standby in `dir`, from a backup of the cluster that runs in `primary.dir`. It streams from
 * there once it is started.
 */
export async function makeStandby(primary: { dir: string; postgresUrl: string }, dir: string): Promise<void> {
  const staging = join(writableFolder(primary.dir), "standby");
  await runPostgresProgram("pg_basebackup", [
    `--dbname=${primary.postgresUrl}`,
    `--pgdata=${staging}`,
    "--wal-method=stream",
    "--checkpoint=fast",
    "--write-recovery-conf",
  ]);
  await copyFolder(staging, join(dir, "postgres"));
  await rm(staging, { recursive: true });
}

/** Copies a replication slot from one cluster to another, as some replication managers do. Both must be stopped. */
export async function copySlot(slot: string, from: string, to: string): Promise<void> {
  await replaceFolder(from, to, join("pg_replslot", slot));
}

/** Makes a copied slot complete at once, like the slots that PostgreSQL synchronizes itself. */
export async function copySnapshots(from: string, to: string): Promise<void> {
  await replaceFolder(from, to, join("pg_logical", "snapshots"));
}

async function replaceFolder(from: string, to: string, name: string): Promise<void> {
  await rm(join(to, "postgres", name), { recursive: true, force: true });
  await copyFolder(join(from, "postgres", name), join(to, "postgres", name));
}

/** Promotes the standby in `dir`, and returns when it is the primary. */
export async function promote(dir: string): Promise<void> {
  await runPostgresProgram("pg_ctl", ["promote", "-D", join(dir, "postgres")]);
}
