/** A private nats-server with JetStream, which keeps its files under DIR/nats, on loopback only. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { engineAccount, makePrivateFolder } from "./account.ts";
import { findNats } from "./binaries.ts";
import type { RunningEngine } from "./postgres.ts";
import { eventually, isRunning, launch, signal } from "./processes.ts";

/** Starts the server with the streams of earlier runs, if there are any. Does nothing if it is running already. */
export async function startNats(dir: string, { port }: { port: number }): Promise<RunningEngine> {
  const running = await findRunningNats(dir);
  if (running) return running;
  const account = await engineAccount();
  await makePrivateFolder(join(dir, "nats"), account);
  const name = `skein-${randomUUID()}`;
  await writeFile(configFile(dir), settings(dir, port, name));
  const pid = await launch({
    name: "nats-server",
    program: await findNats(),
    args: ["-c", configFile(dir)],
    log: join(dir, "nats.log"),
    account,
    isReady: async (started) => (await readPid(dir)) === started && (await greets(port, name)),
  });
  return { pid, port, url: natsUrl(port) };
}

export async function stopNats(dir: string): Promise<void> {
  if (!(await end(dir, "SIGTERM", 15_000))) await killNats(dir);
}

/** Kills the server with SIGKILL, like a crash, and waits until it is gone. */
export async function killNats(dir: string): Promise<void> {
  if (!(await end(dir, "SIGKILL", 10_000))) throw new Error(`nats-server in ${dir} survived SIGKILL`);
}

export async function findRunningNats(dir: string): Promise<RunningEngine | undefined> {
  const pid = await readPid(dir);
  if (pid === undefined || !(await isRunning({ pid, path: configFile(dir) }))) return undefined;
  const port = Number((await readFile(configFile(dir), "utf8")).match(/^port: (\d+)$/m)?.[1]);
  return { pid, port, url: natsUrl(port) };
}

/** Returns whether the process ended in time. */
async function end(dir: string, name: NodeJS.Signals, ms: number): Promise<boolean> {
  const running = await findRunningNats(dir);
  if (!running) return true;
  signal(running.pid, name);
  return eventually(async () => !(await isRunning({ pid: running.pid, path: configFile(dir) })), ms);
}

function configFile(dir: string): string {
  return join(dir, "nats.conf");
}

function pidFile(dir: string): string {
  return join(dir, "nats", "nats-server.pid");
}

function natsUrl(port: number): string {
  return `nats://127.0.0.1:${port}`;
}

function settings(dir: string, port: number, name: string): string {
  return `# Written at every start.
host: "127.0.0.1"
port: ${port}
server_name: "${name}"
pid_file: ${JSON.stringify(pidFile(dir))}
# One message carries all events of one transaction.
max_payload: 8MB
jetstream: {
  store_dir: ${JSON.stringify(join(dir, "nats"))}
  # Each stream has its own size limit. The default limit, derived from the free space, could be too small for any stream.
  max_file_store: 1TB
}
`;
}

async function readPid(dir: string): Promise<number | undefined> {
  const text = await readFile(pidFile(dir), "utf8").catch(() => "");
  return text.trim() === "" ? undefined : Number(text);
}

/**
 * A nats-server sends INFO to every client, once its streams are recovered. The server name distinguishes it from another
 * server that already has the port.
 */
async function greets(port: number, name: string): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    const [greeting] = await once(socket, "data", { signal: AbortSignal.timeout(1000) });
    return String(greeting).startsWith("INFO ") && String(greeting).includes(`"${name}"`);
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
