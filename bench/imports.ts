/**
 * `npm run bench:imports -- FILE [--kills 10] [--seed 7]`: imports a large export as `skein import run` does, into a server on which
 * people write meanwhile. Prints the rate, the most memory the importing process needed, and how long sends took, before and
 * during the run. With `--kills` it imports the same file into a second organization, killing the process at random moments and
 * starting it again, and compares the two organizations. The import kit writes large exports:
 * `node make-samples.mjs DIR --large 2000000`.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Random } from "../faults/random.ts";
import { Connection } from "./connection.ts";
import { compareOrganizations } from "./imported.ts";
import { addChannels, addUsers, makeRealm, open, settle, subscribe } from "./organization.ts";
import { demandSuccess, messageText, sendRequest } from "./request.ts";
import { withStage, type Stage } from "./stage.ts";
import { figure, percentile } from "./statistics.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: "string", default: "0" }, seed: { type: "string", default: String(Date.now() % 1e6) } },
});
const [path] = positionals;
if (path === undefined) throw new Error("Usage: npm run bench:imports -- FILE [--kills N] [--seed N]");
const kills = Number(values.kills);
const random = new Random(Number(values.seed));

const bars = { memory: 300, rate: 5000, sends: 2 };
const sendsPerSecond = 50;
const baselineSeconds = 30;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Run {
  seconds: number;
  peakMiB: number;
  messages: number;
}

/** One attempt; undefined if it was killed. */
async function attempt(
  stage: Stage,
  { realm, killAfter }: { realm?: string; killAfter?: number } = {},
): Promise<Run | undefined> {
  const begun = performance.now();
  const child = fork(
    join(import.meta.dirname, "../server/src/cli/main.ts"),
    ["import", "run", path ?? "", ...(realm === undefined ? [] : ["--realm", realm]), "--json"],
    {
      env: {
        ...process.env,
        NODE_ENV: "production",
        SKEIN_DATABASE_URL: stage.databaseUrl,
        SKEIN_NATS_URL: stage.natsUrl,
        SKEIN_FILES_DIR: join(stage.dir, "files"),
        SKEIN_LOG_LEVEL: "warn",
      },
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    },
  );
  const ended = once(child, "exit") as Promise<[number | null]>;
  let printed = "";
  child.stdout?.on("data", (chunk) => (printed += String(chunk)));
  let peakMiB = 0;
  const watch = setInterval(() => void peakOf(child.pid).then((peak) => (peakMiB = Math.max(peakMiB, peak))), 500);
  const killer = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter);
  const [code] = await ended;
  clearInterval(watch);
  clearTimeout(killer);
  if (child.signalCode === "SIGKILL") return undefined;
  if (code !== 0) throw new Error(`the import ended with code ${code}`);
  const { imported } = JSON.parse(printed) as { imported: Record<string, number> }; // a report
  return { seconds: (performance.now() - begun) / 1000, peakMiB, messages: imported["messages"] ?? 0 };
}

/** The most memory that the process has needed so far. */
async function peakOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

/** Sends at a steady rate until `isOver`, and returns the milliseconds that each took from the moment it was due. */
async function sendUntil(isOver: () => boolean, connections: Connection[], request: Buffer): Promise<number[]> {
  const times: number[] = [];
  const idle = [...connections];
  const flying: Promise<void>[] = [];
  for (let due = performance.now(); !isOver(); due += 1000 / sendsPerSecond) {
    await delay(Math.max(0, due - performance.now()));
    const connection = idle.pop();
    if (!connection) continue;
    flying.push(
      connection.send(request).then((answer) => {
        demandSuccess(answer);
        times.push(performance.now() - due);
        idle.push(connection);
      }),
    );
  }
  await Promise.all(flying);
  return times;
}

const shortly = (times: number[]): string =>
  `p50 ${figure(percentile(times, 0.5))} ms, p99 ${figure(percentile(times, 0.99))} ms`;

async function measure(stage: Stage): Promise<void> {
  const realm = await makeRealm(stage);
  const [sender] = await addUsers(stage, realm, 1);
  if (!sender) throw new Error("there is a user");
  const [channel = 0] = await addChannels(stage, realm, 1);
  await subscribe(stage, realm, [sender], [channel]);
  await settle(stage);
  await stage.serve("relay");
  const api = await stage.serve("api");
  const connections = await Promise.all(Array.from({ length: 64 }, () => Connection.open(api.url)));
  const request = sendRequest(sender, { channel, topic: "meanwhile" }, messageText);
  await Promise.all(
    connections.slice(0, 1).map((connection) => open(connection, sender, [{ channel, topic: "meanwhile" }])),
  );

  const until = performance.now() + baselineSeconds * 1000;
  await sendUntil(() => performance.now() > until - baselineSeconds * 500, connections, request);
  const before = await sendUntil(() => performance.now() > until, connections, request);
  let run: Run | undefined;
  const importing = attempt(stage).then((done) => (run = done));
  const during = await sendUntil(() => run !== undefined, connections, request);
  await importing;
  if (!run) throw new Error("the import was killed by something else");
  const rate = run.messages / run.seconds;
  const slower = percentile(during, 0.99) / percentile(before, 0.99);
  say(`${figure(run.messages)} messages in ${figure(run.seconds)} s: ${figure(rate)} a second (bar ${bars.rate})`);
  say(`peak memory ${figure(run.peakMiB)} MiB (bar ${bars.memory})`);
  say(
    `sends before: ${shortly(before)}; during the import: ${shortly(during)}: ${figure(slower)} × (bar ${bars.sends})`,
  );
  if (kills > 0) await killed(stage, realm, run);
}

/** The same into another organization, killed again and again. */
async function killed(stage: Stage, realm: number, undisturbed: Run): Promise<void> {
  const other = await makeRealm(stage, "killed");
  say(`seed ${values.seed}`);
  // Spread over the whole run: each attempt gets about its share of what is left.
  for (let kill = 1; kill <= kills; kill++) {
    const killAfter = random.next() * 2 * ((undisturbed.seconds * 1000) / (kills + 1));
    if ((await attempt(stage, { realm: "killed", killAfter })) !== undefined) {
      say(`it ended before kill ${kill}`);
      break;
    }
    say(`killed after ${figure(killAfter / 1000)} s (${kill} of ${kills})`);
  }
  await attempt(stage, { realm: "killed" });
  const differences = await compareOrganizations(stage, realm, other);
  say(differences.length === 0 ? "both organizations are equal" : `they differ:\n${differences.join("\n")}`);
  if (differences.length > 0) process.exitCode = 1;
}

const breakOff = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => breakOff.abort());
await withStage({ isQuick: false, say, signal: breakOff.signal }, measure);
