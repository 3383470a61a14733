/** Server processes as an operator would run them, and their resource use. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runtimeFlags } from "../release/runtime.ts";

const serverProgram = join(import.meta.dirname, "../server/src/cli/main.ts");
const bareProgram = join(import.meta.dirname, "bare-server.ts");
const bareSender = join(import.meta.dirname, "bare-sender.ts");

export interface ServerProcess {
  /** Empty for a process that serves no HTTP. */
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

export interface ServerOptions {
  env: Record<string, string>;
  /** Modules loaded before the program's own. */
  preload?: string[];
}

export const startServer = (roles: string, options: ServerOptions): Promise<ServerProcess> =>
  start(serverProgram, ["serve", "--roles", roles], options);

/** Node's own HTTP server and nothing else: the baseline for ours. */
export const startBareServer = (options: Partial<ServerOptions> = {}): Promise<ServerProcess> =>
  start(bareProgram, [], { env: {}, ...options });

/** Node's own HTTP server with a grouped insert: the upper limit for sends. */
export const startBareSender = (options: Partial<ServerOptions> = {}): Promise<ServerProcess> =>
  start(bareSender, [], { env: {}, ...options });

async function start(program: string, args: string[], { env, preload = [] }: ServerOptions): Promise<ServerProcess> {
  const imports = preload.map((file) => `--import=${join(import.meta.dirname, file)}`);
  const isServer = program === serverProgram;
  const child = fork(program, args, {
    env: {
      ...process.env,
      NODE_ENV: "production",
      SKEIN_DRAIN_DELAY_SECONDS: "0",
      ...env,
    },
    execArgv: [
      ...(isServer ? runtimeFlags : []),
      ...(preload.length > 0 ? ["--expose-gc", ...imports] : []),
      ...profiling(),
    ],
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`a server process exited with code ${code}; its log is above`);
  });
  const told = once(child, "message") as Promise<[{ url?: string }]>; // sent by serve and by the bare servers
  const [{ url = "" }] = await Promise.race([told, ended]);
  ended.catch(() => undefined); // from here on an exit shows as a failed request
  if (url !== "" && isServer) await untilReady(url);
  if (child.pid === undefined) throw new Error("a process that has started has a pid");
  return { url, pid: child.pid, stop: () => stop(child) };
}

/** `BENCH_PROFILE=folder npm run bench -- --only a` leaves a CPU profile of every server process there. */
function profiling(): string[] {
  const folder = process.env["BENCH_PROFILE"];
  return folder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${folder}`];
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    const { status } = (await (await fetch(`${url}/health/ready`)).json()) as { status: string }; // as health.ts has it
    if (status === "ok") return;
    await delay(50);
  }
}

/** For a process that does not tell when it listens. */
export async function untilServing(url: string, child: Pick<ChildProcess, "exitCode">): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/health/ready`).catch(() => undefined); // not listening yet
    await response?.arrayBuffer();
    if (response?.ok === true) return;
    if (child.exitCode !== null) throw new Error(`the server exited with code ${child.exitCode}`);
    await delay(10);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** Resident memory in bytes after garbage collection; for processes with `collect-garbage.ts` preloaded. */
export async function residentBytes({ pid }: ServerProcess): Promise<number> {
  for (let time = 0; time < 4; time++) {
    process.kill(pid, "SIGUSR2");
    await delay(700);
  }
  return residentBytesNow(pid);
}

/** What the system reports for the process as it is. */
export async function residentBytesNow(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new Error("the system does not report how much memory a process uses");
  return Number(kilobytes) * 1024;
}
