/** Finds the engines' programs on this machine, and explains what to install when they are missing or too old. */
import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const oldestPostgres = 15;
/** In older versions a killed nats-server could lose a whole stream. */
const oldestNats = [2, 12, 3];

export interface PostgresInstallation {
  /** The folder with `postgres`, `initdb` and the client programs. */
  bin: string;
  major: number;
}

type Environment = Record<string, string | undefined>;

/** The newest usable PostgreSQL, or the one of the given major version, which existing data needs. */
export async function findPostgres(major?: number, env: Environment = process.env): Promise<PostgresInstallation> {
  const found = await installedPostgres(env);
  const usable = found.filter((one) => (major === undefined ? one.major >= oldestPostgres : one.major === major));
  const newest = usable.toSorted((a, b) => b.major - a.major)[0];
  if (newest) return newest;
  const wanted = major === undefined ? `PostgreSQL ${oldestPostgres} or newer` : `PostgreSQL ${major}`;
  throw new Error(
    [
      `${wanted} is not installed (${seen(found.map((one) => `${one.major} in ${one.bin}`))}). To install it:`,
      ...(major === undefined
        ? [
            "  Debian, Ubuntu:  sudo apt-get install postgresql   (or sudo scripts/install-engines, which also gets NATS)",
            "  macOS:           brew install postgresql@17",
          ]
        : [
            `  Debian, Ubuntu:  sudo apt-get install postgresql-${major}`,
            `  macOS:           brew install postgresql@${major}`,
          ]),
      "If it is installed elsewhere, set SKEIN_POSTGRES_BIN to the folder that contains postgres and initdb.",
    ].join("\n"),
  );
}

async function installedPostgres(env: Environment): Promise<PostgresInstallation[]> {
  const folders = new Set<string>();
  for (const folder of await postgresFolders(env)) {
    // Programs on the PATH are often links; initdb and the others are next to the link's target.
    const program = await realpath(join(folder, "postgres")).catch(() => undefined);
    if (program) folders.add(dirname(program));
  }
  const versions = await Promise.all(
    [...folders].map(async (bin) => ({ bin, major: (await versionOf(join(bin, "postgres")))[0] })),
  );
  return versions.flatMap(({ bin, major }) => (major === undefined ? [] : [{ bin, major }]));
}

async function postgresFolders(env: Environment): Promise<string[]> {
  if (env["SKEIN_POSTGRES_BIN"]) return [env["SKEIN_POSTGRES_BIN"]];
  const patterns = [
    "/usr/lib/postgresql/*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
  ];
  const folders = [...searchPath(env), ...globSync(patterns)];
  const config = await run("pg_config", ["--bindir"], { env }).catch(() => undefined);
  return config ? [...folders, config.stdout.trim()] : folders;
}

/** The nats-server program: the first one found that is new enough. */
export async function findNats(env: Environment = process.env): Promise<string> {
  const tooOld: string[] = [];
  for (const program of natsPrograms(env)) {
    const version = await versionOf(program);
    if (version.length === 0) continue;
    if (isAtLeast(version, oldestNats)) return program;
    tooOld.push(`${version.join(".")} at ${program}`);
  }
  throw new Error(
    [
      `nats-server ${oldestNats.join(".")} or newer is not installed (${seen(tooOld)}). To install it:`,
      "  Debian, Ubuntu:  sudo scripts/install-engines   (the distribution's package is too old)",
      "  macOS:           brew install nats-server",
      "If it is installed elsewhere, set SKEIN_NATS_SERVER to its path.",
    ].join("\n"),
  );
}

function natsPrograms(env: Environment): string[] {
  if (env["SKEIN_NATS_SERVER"]) return [env["SKEIN_NATS_SERVER"]];
  const folders = [...searchPath(env), "/usr/local/bin", "/usr/sbin", "/opt/homebrew/bin"];
  return [...new Set(folders)].map((folder) => join(folder, "nats-server"));
}

function searchPath(env: Environment): string[] {
  return (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
}

/** The version a program reports, as numbers; empty if the program cannot be run. */
async function versionOf(program: string): Promise<number[]> {
  const answer = await run(program, ["--version"]).catch(() => undefined);
  const version = answer?.stdout.match(/\d+(\.\d+)+/)?.[0] ?? "";
  return version === "" ? [] : version.split(".").map(Number);
}

function isAtLeast(version: number[], oldest: number[]): boolean {
  for (const [index, least] of oldest.entries()) {
    const part = version[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

function seen(versions: string[]): string {
  return versions.length === 0 ? "none found" : `found: ${versions.join(", ")}`;
}
