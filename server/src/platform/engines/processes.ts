/**
 * Processes that outlive the command which started them. They are known by pid and by a path on their command line:
 * a pid alone may have been handed to a stranger after a reboot.
 */
import { execFile, spawn } from "node:child_process";
import { open, readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Account } from "./account.ts";

const run = promisify(execFile);

/** What identifies a running engine: its pid, and the folder or file it was started with. */
export interface Identity {
  pid: number;
  path: string;
}

export async function isRunning({ pid, path }: Identity): Promise<boolean> {
  return ` ${await commandLine(pid)} `.includes(` ${path} `);
}

/** The process's command line; empty when there is no such process or it is only waiting to be reaped. */
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
  // The second field is the program's name in parentheses, which may itself hold anything; the parent is the fourth.
  const parent = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
  return parent === undefined ? undefined : Number(parent);
}

/** Whether a process of this pid exists in any form but that of a zombie. */
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

/** Asks again and again until the answer is yes; false when it was still no after `ms`. */
export async function eventually(condition: () => Promise<boolean>, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

export interface Launch {
  /** What it is called in an error message. */
  name: string;
  program: string;
  args: string[];
  /** Standard output and standard error are appended here. */
  log: string;
  account: Account | undefined;
  /** Whether the process of this pid answers by now. */
  isReady: (pid: number) => Promise<boolean>;
}

/** Crash recovery of a large database takes its time; a process that is still at work is not given up before. */
const startLimit = 120_000;

/** Starts a process in a session of its own and waits until it is ready. Gives its pid. */
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
  child.on("exit", (code, by) => (ended = by ? `was ended by ${by}` : `exited with code ${code}`));
  child.on("error", (error) => (ended = `could not be started: ${error.message}`));
  child.unref();
  const ready = await eventually(
    async () => ended !== "" || (child.pid !== undefined && (await isReady(child.pid))),
    startLimit,
  );
  await output.close();
  if (child.pid !== undefined && ended === "" && ready) return child.pid;
  if (ended === "") {
    child.kill("SIGKILL");
    ended = `was not ready after ${startLimit / 1000} seconds`;
  }
  const tail = (await readFile(log)).subarray(logStart).toString().trim().split("\n").slice(-10).join("\n");
  throw new Error(`${name} ${ended}. The end of ${log}:\n${tail}`);
}
