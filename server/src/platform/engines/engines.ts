/**
 * Both engines together, private to one folder, for development and tests. They keep running after the process that
 * started them has ended.
 *
 * The folder holds `postgres/` and `nats/` (the data), their logs and settings, and `services.json`, which records the
 * ports so that URLs stay the same from one start to the next.
 * **Invariant:** starting and stopping the pair requires `services.lock`, so two concurrent starts yield one pair.
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
  /** False trades PostgreSQL's durability for speed: for test data that is thrown away. */
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
    await assertInstalled(before);
    assertPort("PostgreSQL", before.postgres, options.postgresPort);
    assertPort("nats-server", before.nats, options.natsPort);
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
    // One engine alone is useless, so stop it, unless it was running before this call.
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

/** Looks for both before starting either, so that one message lists everything that is missing. */
async function assertInstalled(running: EngineStatus): Promise<void> {
  const searches = await Promise.allSettled([running.postgres ?? findPostgres(), running.nats ?? findNats()]);
  if (searches.some((search) => search.status === "rejected")) throw joined(searches);
}

function assertPort(name: string, running: RunningEngine | undefined, wanted: number | undefined): void {
  if (running && wanted !== undefined && running.port !== wanted) {
    throw new Error(`${name} is already running on port ${running.port}; stop it first to use port ${wanted}`);
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
  // Only writePorts writes this file, and always completely.
  return text === undefined ? undefined : (JSON.parse(text) as { ports: Ports }).ports;
}

async function writePorts(dir: string, ports: Ports): Promise<void> {
  const unfinished = `${portsFile(dir)}.new`;
  await writeFile(unfinished, `${JSON.stringify({ ports }, null, 2)}\n`);
  await rename(unfinished, portsFile(dir));
}
