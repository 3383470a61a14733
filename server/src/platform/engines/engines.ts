/**
 * The two engines together, private to one folder: for development and for tests. They keep running after the process
 * that started them has ended.
 *
 * The folder holds `postgres/` and `nats/` (the data), their logs and settings, and `services.json`, which remembers the
 * ports so that addresses stay the same from one start to the next.
 * **Invariant:** whoever starts or stops them both holds `services.lock`, so two starts at once give one pair.
 */
import { mkdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { engineAccount, openPath } from "./account.ts";
import { findNats, findPostgres } from "./binaries.ts";
import { freePort, isFree } from "./free-port.ts";
import { withLock } from "./lock.ts";
import { findRunningNats, startNats, stopNats } from "./nats.ts";
import { findRunningPostgres, type RunningEngine, startPostgres, stopPostgres } from "./postgres.ts";

export interface EngineOptions {
  postgresPort?: number | undefined;
  natsPort?: number | undefined;
  /** False gives up PostgreSQL's durability for speed: for data that is thrown away with the tests that made it. */
  fsync?: boolean | undefined;
}

export interface Engines {
  dir: string;
  postgresUrl: string;
  natsUrl: string;
  postgres: RunningEngine;
  nats: RunningEngine;
}

export interface EngineStatus {
  dir: string;
  postgres: RunningEngine | undefined;
  nats: RunningEngine | undefined;
}

interface Ports {
  postgres: number;
  nats: number;
}

export async function startEngines(folder: string, options: EngineOptions = {}): Promise<Engines> {
  await mkdir(folder, { recursive: true });
  const dir = await realpath(folder);
  await openPath(dir, await engineAccount());
  return withLock(lockFile(dir), async () => {
    const before = await engineStatus(dir);
    await demandBinaries(before);
    demandPort("PostgreSQL", before.postgres, options.postgresPort);
    demandPort("nats-server", before.nats, options.natsPort);
    const remembered = await readPorts(dir);
    const ports: Ports = {
      postgres: before.postgres?.port ?? options.postgresPort ?? (await choosePort(remembered?.postgres)),
      nats: before.nats?.port ?? options.natsPort ?? (await choosePort(remembered?.nats)),
    };
    await writePorts(dir, ports);
    const [postgres, nats] = await Promise.allSettled([
      startPostgres(dir, { port: ports.postgres, fsync: options.fsync }),
      startNats(dir, { port: ports.nats }),
    ]);
    if (postgres.status === "fulfilled" && nats.status === "fulfilled") {
      const urls = { postgresUrl: postgres.value.url, natsUrl: nats.value.url };
      return { dir, ...urls, postgres: postgres.value, nats: nats.value };
    }
    // Half a pair is of no use to anyone; what ran before this call goes on.
    await Promise.all([before.postgres ?? stopPostgres(dir), before.nats ?? stopNats(dir)]);
    throw joined([postgres, nats]);
  });
}

/** Stops both and waits until they are gone. Their data stays. */
export async function stopEngines(folder: string): Promise<void> {
  const dir = await realpath(folder).catch(() => undefined);
  if (dir === undefined) return;
  await withLock(lockFile(dir), async () => {
    await Promise.all([stopPostgres(dir), stopNats(dir)]);
  });
}

export async function engineStatus(folder: string): Promise<EngineStatus> {
  const dir = await realpath(folder).catch(() => resolve(folder));
  const [postgres, nats] = await Promise.all([findRunningPostgres(dir), findRunningNats(dir)]);
  return { dir, postgres, nats };
}

function lockFile(dir: string): string {
  return join(dir, "services.lock");
}

/** Both are looked for before either is started, so that one message tells all that is missing. */
async function demandBinaries(running: EngineStatus): Promise<void> {
  const searches = await Promise.allSettled([running.postgres ?? findPostgres(), running.nats ?? findNats()]);
  if (searches.some((search) => search.status === "rejected")) throw joined(searches);
}

function demandPort(name: string, running: RunningEngine | undefined, wanted: number | undefined): void {
  if (running && wanted !== undefined && running.port !== wanted) {
    throw new Error(`${name} already runs on port ${running.port}; stop it first to have it on port ${wanted}`);
  }
}

function joined(results: PromiseSettledResult<unknown>[]): Error {
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [toError(result.reason)] : []));
  const message = reasons.map((reason) => reason.message).join("\n\n");
  return new Error(message, { cause: reasons[0] });
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

async function choosePort(remembered: number | undefined): Promise<number> {
  return remembered !== undefined && (await isFree(remembered)) ? remembered : freePort();
}

function portsFile(dir: string): string {
  return join(dir, "services.json");
}

async function readPorts(dir: string): Promise<Ports | undefined> {
  const text = await readFile(portsFile(dir), "utf8").catch(() => undefined);
  // We alone write this file, whole, in writePorts.
  return text === undefined ? undefined : (JSON.parse(text) as { ports: Ports }).ports;
}

async function writePorts(dir: string, ports: Ports): Promise<void> {
  const unfinished = `${portsFile(dir)}.new`;
  await writeFile(unfinished, `${JSON.stringify({ ports }, null, 2)}\n`);
  await rename(unfinished, portsFile(dir));
}
