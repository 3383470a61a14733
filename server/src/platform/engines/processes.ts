/**
 * Processes that outlive the command that started them. They are identified by pid and by a path on their command line,
 * because a pid alone may have been reused after a reboot.
 */
import { execFile, spawn } from "node:child_process";
import { open, readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Account } from "./account.ts";

const run = promisify(execFile);

/** Identifies a running engine by its pid and the folder or file it was started with. */
export interface Identity {
  pid: number;
  path: string;
}

export async function isRunning({ pid, path }: Identity): Promise<boolean> {
  return ` ${await commandLine(pid)} `.includes(` ${path} `);
}

/** The process's command line; empty if there is no such process or it is a zombie. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return text.replaceAll("\0", " ").trim();
  }
  const listing = await run("ps", ["-o", "command=", "-p", String(pid)]).catch(() => undefined);
  return listing?.stdout.trim() ?? "";
}

export async function listChildren(parent: number): Promise<number[]> {
  if (process.platform !== "linux") {
    const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid="]);
    const rows = stdout.trim().split("\n");
    return rows
      .map((row) => row.trim().split(/\s+/).map(Number))
      .flatMap(([pid, of]) => (of === parent && pid ? [pid] : []));
  }
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(pids.map(parentOf));
  return pids.filter((_, index) => parents[index] === parent).map(Number);
}

async function parentOf(pid: string): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The second field is the program's name in parentheses, which may contain any character; the parent is the fourth.
  const parent = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
  return parent === undefined ? undefined : Number(parent);
}

/** Whether a process with this pid exists and is not a zombie. */
export async function isAlive(pid: number): Promise<boolean> {
  return (await commandLine(pid)) !== "";
}

/** Sends the signal; false when the process is already gone. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

/** Polls until the condition is true; returns false if it is still false after `ms`. */
export async function eventually(condition: () => Promise<boolean>, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

export interface Launch {
  /** The name used in error messages. */
  name: string;
  program: string;
  args: string[];
  /** Standard output and standard error are appended here. */
  log: string;
  account: Account | undefined;
  /** Whether the process with this pid accepts connections. */
  isReady: (pid: number) => Promise<boolean>;
}

/** Generous, because crash recovery of a large database takes a while. */
const startTimeout = 120_000;

/** Starts a process in its own session, waits until it is ready and returns its pid. */
export async function launch({ name, program, args, log, account, isReady }: Launch): Promise<number> {
  const output = await open(log, "a", 0o644);
  const logStart = (await output.stat()).size;
  let ended = "";
  const child = spawn(program, args, {
    cwd: "/",
    detached: true,
    stdio: ["ignore", output.fd, output.fd],
    env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
    ...(account && { uid: account.uid, gid: account.gid }),
  });
  child.on("exit", (code, by) => (ended = by ? `was killed by ${by}` : `exited with code ${code}`));
  child.on("error", (error) => (ended = `could not be started: ${error.message}`));
  child.unref();
  const ready = await eventually(
    async () => ended !== "" || (child.pid !== undefined && (await isReady(child.pid))),
    startTimeout,
  );
  await output.close();
  if (child.pid !== undefined && ended === "" && ready) return child.pid;
  if (ended === "") {
    child.kill("SIGKILL");
    ended = `was not ready after ${startTimeout / 1000} seconds`;
  }
  const tail = (await readFile(log)).subarray(logStart).toString().trim().split("\n").slice(-10).join("\n");
  throw new Error(`${name} ${ended}. The end of ${log}:\n${tail}`);
}
