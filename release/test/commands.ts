/** Runs programs for the tests of a release. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

/** What a fresh machine has: no Node, no npm, nothing of the repository. */
export const plainEnvironment = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8", HOME: "/nonexistent" };

/** A program and its arguments. */
export type Words = [program: string, ...args: string[]];

/** Returns what it prints on standard output; fails with what it prints on standard error. */
export async function run([program, ...args]: Words, options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { stdout } = await promisify(execFile)(program, args, { env: plainEnvironment, maxBuffer: 1e8, ...options });
  return stdout;
}

/** A command line of Skein: takes its arguments. */
export type Skein = (...args: string[]) => Promise<string>;

export interface Server {
  /** From the start of the program until it was ready. */
  milliseconds: number;
  /** Sends SIGTERM and waits; fails if the exit code is not 0. */
  stop: () => Promise<void>;
}

/** Starts a server process and waits until `url` reports that it is ready. */
export async function startServer([program, ...args]: Words, env: NodeJS.ProcessEnv, url: string): Promise<Server> {
  const start = performance.now();
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const output of [child.stdout, child.stderr])
    output.setEncoding("utf8").on("data", (text: string) => (log += text));
  const exit = once(child, "exit") as Promise<[number | null, string | null]>; // as documented for "exit"
  let isRunning = true;
  const kill = () => child.kill("SIGKILL"); // after a failure it must not outlive this process
  process.once("exit", kill);
  child.on("exit", () => {
    isRunning = false;
    process.off("exit", kill);
  });
  while (!(await isReady(url))) {
    if (!isRunning) throw new Error(`${args.join(" ")} ended before it was ready:\n${log}`);
    if (performance.now() - start > 60_000) throw new Error(`${args.join(" ")} was not ready after a minute:\n${log}`);
    await delay(10);
  }
  return {
    milliseconds: Math.round(performance.now() - start),
    stop: async () => {
      child.kill("SIGTERM");
      const [code, signal] = await exit;
      if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code ?? signal}:\n${log}`);
    },
  };
}

/** A start may take two seconds, or, on a machine that is slow or busy, as long as this many starts of Node alone. */
const startLimit = { milliseconds: 2000, bareStarts: 50 };

export async function assertStartsQuickly(what: string, starts: number[], node: string): Promise<void> {
  const bareStarts: number[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const start = performance.now();
    await run([node, "--eval", "0"]);
    bareStarts.push(Math.round(performance.now() - start));
  }
  const bare = Math.min(...bareStarts);
  console.log(`${what}: starts in ${starts.join(", ")} ms; Node alone in ${bare} ms`);
  const limit = Math.max(startLimit.milliseconds, bare * startLimit.bareStarts);
  assert.ok(Math.min(...starts) <= limit, `the fastest start took ${Math.min(...starts)} ms, more than ${limit}`);
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/health/ready`).catch(() => undefined); // not listening yet
  await response?.arrayBuffer();
  return response?.ok ?? false;
}

export interface Engines {
  SKEIN_DATABASE_URL: string;
  SKEIN_NATS_URL: string;
}

/** Runs `work` with a PostgreSQL and a NATS of its own. */
export async function withEngines(skein: Skein, dir: string, work: (engines: Engines) => Promise<void>): Promise<void> {
  const started = JSON.parse(await skein("services", "start", "--dir", dir, "--json")) as {
    postgresUrl: string;
    natsUrl: string;
  }; // as services.ts has it
  try {
    await work({ SKEIN_DATABASE_URL: started.postgresUrl, SKEIN_NATS_URL: started.natsUrl });
  } finally {
    await skein("services", "stop", "--dir", dir);
  }
}
