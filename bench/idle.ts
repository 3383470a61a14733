/** Start and idle memory of a release: one process with all roles, as its packages start it. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../server/src/platform/engines/free-port.ts";
import type { Outcome } from "./measurement.ts";
import { buildRelease } from "./release.ts";
import { residentBytesNow, untilServing } from "./server-process.ts";
import type { Stage } from "./stage.ts";
import { figure, median, spread } from "./statistics.ts";

const run = promisify(execFile);
const barMilliseconds = 2000;
const barMegabytes = 150;

export async function measureIdle(stage: Stage): Promise<Outcome> {
  const [rounds, idleSeconds] = stage.isQuick ? [1, 2] : [5, 60];
  const release = await buildRelease(stage);
  const starts: number[] = [];
  const megabytes: number[] = [];
  const bareStarts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await run(join(release, "runtime/node"), ["--eval", "0"]);
    bareStarts.push(performance.now() - begun);
    const { milliseconds, resident } = await startOnce(stage, release, idleSeconds);
    starts.push(milliseconds);
    megabytes.push(resident / 1024 ** 2);
    stage.say(`ready after ${figure(milliseconds)} ms; idle ${figure(megabytes.at(-1) ?? 0)} MB`);
  }
  return {
    rows: [
      {
        what: "Start of a release, from the command until it is ready",
        bar: `< ${figure(barMilliseconds)} ms`,
        margin: barMilliseconds / median(starts),
        measured: `${figure(median(starts))} ms`,
        baseline: `Node alone: ${figure(median(bareStarts))} ms (${spread(bareStarts)})`,
        spread: `${spread(starts)} ms`,
      },
      {
        what: `Memory of the whole server after ${idleSeconds} idle seconds, without engines`,
        bar: `< ${barMegabytes} MB`,
        margin: barMegabytes / median(megabytes),
        measured: `${figure(median(megabytes))} MB`,
        baseline: "resident memory of one process with all roles",
        spread: `${spread(megabytes)} MB`,
      },
    ],
    chart: {
      title: "Memory of an idle server",
      unit: "MB",
      bars: [{ label: "Skein, all roles", value: median(megabytes), kind: "ours" }],
      bar: { value: barMegabytes, label: `${barMegabytes} MB` },
    },
  };
}

async function startOnce(
  { dir, databaseUrl, natsUrl }: Stage,
  release: string,
  idleSeconds: number,
): Promise<{ milliseconds: number; resident: number }> {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn(join(release, "bin/skein"), ["serve"], {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: join(dir, "compile-cache"),
      SKEIN_DATABASE_URL: databaseUrl,
      SKEIN_NATS_URL: natsUrl,
      SKEIN_PORT: String(port),
      SKEIN_FILES_DIR: join(dir, "files"),
      SKEIN_SECRET: "a secret of the benchmark, long enough",
      SKEIN_DRAIN_DELAY_SECONDS: "0",
    },
    stdio: ["ignore", "ignore", "ignore"],
  });
  const ended = once(child, "exit");
  try {
    await untilServing(`http://127.0.0.1:${port}`, child);
    const milliseconds = performance.now() - begun;
    await delay(idleSeconds * 1000); // what is measured is that nothing happens meanwhile
    if (child.pid === undefined) throw new Error("a process that has started has a pid");
    return { milliseconds, resident: await residentBytesNow(child.pid) };
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}
