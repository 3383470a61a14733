/** Runs the server as an operator would: as a separate process, beside the nodes of a test and on the same engines. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { App } from "../src/app.ts";

const program = join(import.meta.dirname, "../src/cli/main.ts");

export interface ServerProcess {
  child: ChildProcess;
  /** URL of the API; empty without the api role. */
  url: string;
  /** URL of health and metrics if they have a separate port; otherwise empty. */
  healthUrl: string;
  /** All it has logged so far. */
  log: () => string;
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | string>;
}

export interface ProcessOptions {
  environment?: Record<string, string>;
  /** The command that runs the server; by default Node with the CLI. */
  command?: [program: string, ...args: string[]];
}

/** Returns when it has started; it is stopped after the test. */
export async function startProcess({ ctx }: App, options: ProcessOptions = {}): Promise<ServerProcess> {
  const { config } = ctx;
  const [file, ...args] = options.command ?? [process.execPath, program, "serve"];
  const child = spawn(file, args, {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      ...process.env,
      SKEIN_DATABASE_URL: config.databaseUrl,
      SKEIN_NATS_URL: config.natsUrl,
      SKEIN_LOG_NAME: config.logName,
      SKEIN_FILES_DIR: config.filesDir,
      SKEIN_SECRET: config.secret,
      SKEIN_TRUST_PROXY: "true",
      SKEIN_ROLES: "api",
      SKEIN_PORT: "0",
      SKEIN_NODE_NAME: "process",
      SKEIN_DRAIN_DELAY_SECONDS: "0",
      ...options.environment,
    },
  });
  let log = "";
  for (const output of [child.stdout, child.stderr])
    output?.setEncoding("utf8").on("data", (text: string) => (log += text));
  const ended = once(child, "exit").then(([code, signal]) => (signal ?? code) as number | string); // as documented for "exit"
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  const started = once(child, "message") as Promise<[{ url?: string; healthUrl?: string }]>; // what `serve` sends once it has started
  const [{ url = "", healthUrl = "" }] = await Promise.race([
    started,
    ended.then((how): never => {
      throw new Error(`the server ended (${how}) before it had started:\n${log}`);
    }),
  ]);
  return { child, url, healthUrl, log: () => log, ended };
}
