/** `skein import run` in a process of its own, watched and perhaps killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Stage } from "../stage.ts";

export interface Run {
  seconds: number;
  /** The part of them after the export was read. */
  storingSeconds: number;
  peakMiB: number;
  messages: number;
}

interface Attempt {
  /** The folder of the release that imports. */
  release: string;
  file: string;
  /** Not needed while there is only one organization. */
  realm?: string;
  kill?: Kill;
  onPhase?: (phase: string) => void;
}

/** After so many milliseconds of reading the export, or of storing what was read. */
export interface Kill {
  during: "reading" | "storing";
  milliseconds: number;
}

/** Undefined if it was killed. */
export async function attempt(
  stage: Stage,
  { release, file, realm, kill, onPhase }: Attempt,
): Promise<Run | undefined> {
  const begun = performance.now();
  const child = spawn(
    join(release, "bin/skein"),
    ["import", "run", file, ...(realm === undefined ? [] : ["--realm", realm]), "--json"],
    {
      env: {
        PATH: process.env["PATH"],
        SKEIN_DATABASE_URL: stage.databaseUrl,
        SKEIN_NATS_URL: stage.natsUrl,
        SKEIN_FILES_DIR: join(stage.dir, "files"),
        SKEIN_LOG_LEVEL: "warn",
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const ended = once(child, "exit") as Promise<[number | null]>;
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += String(chunk)));
  let peakMiB = 0;
  const watch = setInterval(() => void peakOf(child.pid).then((peak) => (peakMiB = Math.max(peakMiB, peak))), 500);
  let killer: NodeJS.Timeout | undefined;
  let storingSince: number | undefined;
  const killLater = (): void => {
    killer ??= kill && setTimeout(() => child.kill("SIGKILL"), kill.milliseconds);
  };
  child.stderr.on("data", (chunk) => {
    process.stderr.write(String(chunk));
    for (const [, phase = ""] of String(chunk).matchAll(/^(.+) …$/gm)) onPhase?.(phase);
    const isReading = String(chunk).startsWith("reading the export");
    if (!isReading) storingSince ??= performance.now();
    if (kill?.during === (isReading ? "reading" : "storing")) killLater();
  });
  const [code] = await ended;
  clearInterval(watch);
  clearTimeout(killer);
  if (child.signalCode === "SIGKILL") return undefined;
  if (code !== 0) throw new Error(`the import ended with code ${code}`);
  const { imported } = JSON.parse(printed) as { imported: Record<string, number> }; // a report
  const end = performance.now();
  return {
    seconds: (end - begun) / 1000,
    storingSeconds: (end - (storingSince ?? begun)) / 1000,
    peakMiB,
    messages: imported["messages"] ?? 0,
  };
}

/** The most memory that the process has needed so far. */
async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
