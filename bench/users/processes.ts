/** CPU time and memory of all processes that take part, as the system reports them. */
import { readFile, readdir } from "node:fs/promises";
import { totalmem } from "node:os";
import { engineStatus } from "../../server/src/platform/engines/engines.ts";
import { listChildren } from "../../server/src/platform/engines/processes.ts";
import { residentBytesNow } from "../server-process.ts";

/** The system counts CPU time in hundredths of a second. */
const ticksPerSecond = 100;

export interface Usage {
  /** Seconds of CPU time since the process started, by name. */
  cpu: Map<string, number>;
  /** Resident bytes, by name. PostgreSQL's include its shared memory once per process that touched it. */
  memory: Map<string, number>;
  /** The share of the machine's memory that is in use. */
  memoryShare: number;
}

/** Names and process ids; PostgreSQL has children, whose ids change. */
export type Cast = readonly { name: string; pid: number }[];

export async function castOf(dir: string, servers: Cast): Promise<Cast> {
  const { postgres, nats } = await engineStatus(dir);
  return [
    ...servers,
    ...(postgres ? [{ name: "PostgreSQL", pid: postgres.pid }] : []),
    ...(nats ? [{ name: "NATS", pid: nats.pid }] : []),
    { name: "load", pid: process.pid },
  ];
}

export async function readUsage(cast: Cast): Promise<Usage> {
  const usage: Usage = { cpu: new Map(), memory: new Map(), memoryShare: await memoryShare() };
  for (const { name, pid } of cast) {
    const family = name === "PostgreSQL" ? [pid, ...(await listChildren(pid))] : [pid];
    let [seconds, bytes] = [0, 0];
    for (const each of family) {
      // A connection of PostgreSQL may have ended in the meantime; its parent then has its CPU time.
      seconds += await cpuSeconds(each, each === pid).catch(() => 0);
      bytes += await residentBytesNow(each).catch(() => 0);
    }
    usage.cpu.set(name, (usage.cpu.get(name) ?? 0) + seconds);
    usage.memory.set(name, (usage.memory.get(name) ?? 0) + bytes);
  }
  return usage;
}

async function cpuSeconds(pid: number, withEnded: boolean): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses may contain spaces; utime, stime, cutime and cstime are the 14th to 17th field.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, withEnded ? 15 : 13).reduce((sum, field) => sum + Number(field), 0);
  return ticks / ticksPerSecond;
}

async function memoryShare(): Promise<number> {
  const available = /^MemAvailable:\s+(\d+) kB$/m.exec(await readFile("/proc/meminfo", "utf8"))?.[1];
  return 1 - (Number(available ?? 0) * 1024) / totalmem();
}

/** How many files a process may have open, and how many it has. */
export async function openFiles(pid: number): Promise<{ open: number; limit: number }> {
  const limits = await readFile(`/proc/${pid}/limits`, "utf8");
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return { open: (await readdir(`/proc/${pid}/fd`)).length, limit };
}
