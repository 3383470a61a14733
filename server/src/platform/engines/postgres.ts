/**
 * A private PostgreSQL under DIR/postgres, on loopback TCP only. Its user and its database are both named `skein`; anyone
 * who can reach the port may connect.
 */
import { execFile } from "node:child_process";
import { appendFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Account, engineAccount, makePrivateFolder } from "./account.ts";
import { findPostgres } from "./binaries.ts";
import { eventually, type Identity, isAlive, isRunning, launch, listChildren, signal } from "./processes.ts";

const run = promisify(execFile);
const settingsFile = "skein.conf";

export interface PostgresOptions {
  port: number;
  /** False trades durability for speed: for test clusters that are thrown away. */
  fsync?: boolean | undefined;
}

export interface RunningEngine {
  pid: number;
  port: number;
  url: string;
}

/** Starts the server with the data of earlier runs, if there is any. Does nothing if it is running already. */
export async function startPostgres(dir: string, { port, fsync = true }: PostgresOptions): Promise<RunningEngine> {
  const running = await findRunningPostgres(dir);
  if (running) return running;
  const account = await engineAccount();
  const data = dataFolder(dir);
  const version = await readFile(join(data, "PG_VERSION"), "utf8").catch(() => undefined);
  const { bin } = await findPostgres(version === undefined ? undefined : Number(version));
  if (version === undefined) await initialize(data, bin, settings(port, fsync), account);
  else await writeFile(join(data, settingsFile), settings(port, fsync));
  const pid = await launch({
    name: "PostgreSQL",
    program: join(bin, "postgres"),
    args: ["-D", data],
    log: join(dir, "postgres.log"),
    account,
    isReady: async (started) => {
      const postmaster = await readPidFile(data);
      return postmaster?.pid === started && postmaster.state === "ready";
    },
  });
  return { pid, port, url: postgresUrl(port) };
}

/** Fast shutdown (open transactions are rolled back); immediate shutdown, then SIGKILL, if it takes too long. */
export async function stopPostgres(dir: string): Promise<void> {
  for (const [name, ms] of [
    ["SIGINT", 20_000],
    ["SIGQUIT", 5_000],
  ] as const) {
    const running = await findRunningPostgres(dir);
    if (!running) return;
    signal(running.pid, name);
    if (await isGone({ pid: running.pid, path: dataFolder(dir) }, ms)) return;
  }
  await killPostgres(dir);
}

/**
 * Kills the postmaster and all its children with SIGKILL, like a crash, and waits until all are gone: a single surviving
 * child would hold the shared memory and make the next start fail.
 */
export async function killPostgres(dir: string): Promise<void> {
  const running = await findRunningPostgres(dir);
  if (!running) return;
  signal(running.pid, "SIGSTOP"); // so that no child is born between the listing and the kill
  const family = [running.pid, ...(await listChildren(running.pid))];
  for (const pid of family) signal(pid, "SIGKILL");
  const gone = async () => (await Promise.all(family.map(isAlive))).every((alive) => !alive);
  if (!(await eventually(gone, 10_000))) throw new Error(`PostgreSQL in ${dir} survived SIGKILL`);
}

export async function findRunningPostgres(dir: string): Promise<RunningEngine | undefined> {
  const data = dataFolder(dir);
  const postmaster = await readPidFile(data);
  if (!postmaster || !(await isRunning({ pid: postmaster.pid, path: data }))) return undefined;
  return { pid: postmaster.pid, port: postmaster.port, url: postgresUrl(postmaster.port) };
}

function isGone(identity: Identity, ms: number): Promise<boolean> {
  return eventually(async () => !(await isRunning(identity)), ms);
}

function dataFolder(dir: string): string {
  return join(dir, "postgres");
}

function postgresUrl(port: number): string {
  return `postgres://skein@127.0.0.1:${port}/skein`;
}

/** The cluster gets its final name only when it is complete, so an interrupted first start can simply be repeated. */
async function initialize(data: string, bin: string, config: string, account: Account | undefined): Promise<void> {
  const unfinished = `${data}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await makePrivateFolder(unfinished, account);
  const as = { cwd: "/", env: { PATH: process.env["PATH"], LC_ALL: "C" }, ...account };
  // Text sorts by code point on every platform; only the locale's name differs.
  const locale = process.platform === "darwin" ? ["--locale=C", "--lc-ctype=en_US.UTF-8"] : ["--locale=C.UTF-8"];
  const access = ["--username=skein", "--auth-host=trust", "--auth-local=reject"];
  await run(join(bin, "initdb"), ["-D", unfinished, "--no-sync", "--encoding=UTF8", ...locale, ...access], as);
  await appendFile(join(unfinished, "postgresql.conf"), `\ninclude '${settingsFile}'\n`);
  await writeFile(join(unfinished, settingsFile), config);
  const creation = run(join(bin, "postgres"), ["--single", "-D", unfinished, "postgres"], as);
  creation.child.stdin?.end("CREATE DATABASE skein;\n");
  await creation;
  // Sync once, after the last write, instead of in each program.
  await run(join(bin, "initdb"), ["-D", unfinished, "--sync-only"], as);
  await rename(unfinished, data);
}

function settings(port: number, fsync: boolean): string {
  return `# Written at every start. Put settings of your own into postgresql.conf, below the include.
listen_addresses = '127.0.0.1'
port = ${port}
# No socket files: their paths have a length limit that a deep folder exceeds.
unix_socket_directories = ''
max_connections = 200
shared_buffers = '256MB'
timezone = 'UTC'
log_timezone = 'UTC'

# The relay reads committed events from the write-ahead log.
wal_level = logical
max_replication_slots = 16
max_wal_senders = 16
# How much WAL an abandoned slot may retain before it is invalidated.
max_slot_wal_keep_size = '10GB'
max_wal_size = '2GB'
${fsync ? "" : "\nfsync = off\nfull_page_writes = off\n"}`;
}

interface PidFile {
  pid: number;
  port: number;
  state: string;
}

/** The lines of postmaster.pid: pid, data folder, start time, port, socket folder, address, shared memory, state. */
async function readPidFile(data: string): Promise<PidFile | undefined> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => undefined);
  const [pid, , , port, , , , state] = text?.split("\n") ?? [];
  if (!pid) return undefined;
  return { pid: Number(pid), port: Number(port), state: state?.trim() ?? "" };
}
