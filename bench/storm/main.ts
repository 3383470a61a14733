/**
 * `npm run bench:storm [-- --clients 10000] [--only node,log,cold] [--quick] [--record]`: how long it takes until all clients are live
 * again after they lost their node, after NATS lost its log, and after a cold start of the whole server; how long sends take meanwhile,
 * and how much memory the processes need. Writes STORM.md. The quick form has 300 clients and writes nothing. Fails if a bar is missed
 * that baseline.json says was reached; `--record` writes that file.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { engineStatus } from "../../server/src/platform/engines/engines.ts";
import { killNats, startNats } from "../../server/src/platform/engines/nats.ts";
import { addChannels, addUsers, makeRealm, settle, subscribe } from "../organization.ts";
import { buildRelease } from "../release.ts";
import { residentBytesNow } from "../server-process.ts";
import { withStage, type Stage } from "../stage.ts";
import { percentile } from "../statistics.ts";
import { Crowd } from "./crowd.ts";
import { describe, findMissed, readBaseline, recordBaseline, writeReport, type Measured } from "./report.ts";
import { Writer } from "./sends.ts";
import { ServerProcess } from "./servers.ts";

const { values } = parseArgs({
  options: {
    clients: { type: "string" },
    only: { type: "string", default: "node,log,cold" },
    quick: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});
const clients = Number(values.clients ?? (values.quick ? 300 : 10_000));
if (!(clients > 0)) throw new Error("--clients is a positive number");
const chosen = values.only.split(",");

const arrivalTimeoutSeconds = 1200;
const stormTimeoutSeconds = 600;
const sampleMilliseconds = 250;
const quietSeconds = 5;

const begun = performance.now();
const say = (text: string): void => {
  process.stdout.write(`${Math.round((performance.now() - begun) / 1000)} s  ${text}\n`);
};

interface Server {
  api: [ServerProcess, ServerProcess];
  relay: ServerProcess;
}

interface Storm {
  name: string;
  what: string;
  /** Whether it concerns only the clients of the first node. */
  isOfFirstNode: boolean;
  /** Resolves to when sends can succeed again, by `Date.now()`. */
  strike: (stage: Stage, server: Server) => Promise<number>;
  /** Puts back what the storm took away. */
  repair: (server: Server) => Promise<void>;
}

const storms: Storm[] = [
  {
    name: "node",
    what: "all clients lose their node, and find another one",
    isOfFirstNode: true,
    strike: async (_stage, { api: [first] }) => {
      const at = Date.now();
      await first.kill();
      return at;
    },
    repair: ({ api: [first] }) => first.start(),
  },
  {
    name: "log",
    what: "NATS loses its log: a new epoch begins, and all clients register again",
    isOfFirstNode: false,
    strike: async ({ dir }) => {
      const at = Date.now();
      const { nats } = await engineStatus(dir);
      await killNats(dir);
      await rm(join(dir, "nats", "jetstream"), { recursive: true });
      await startNats(dir, { port: nats?.port ?? 0 });
      return at;
    },
    repair: async () => undefined,
  },
  {
    name: "cold",
    what: "all processes of the server are killed and started again, while all clients wait",
    isOfFirstNode: false,
    strike: async (_stage, { api, relay }) => {
      await Promise.all([...api, relay].map((process) => process.kill()));
      await relay.start();
      await Promise.all(api.map((process) => process.start()));
      return Date.now();
    },
    repair: async () => undefined,
  },
];

/** The most memory of each process since the last time. */
class Memory {
  readonly #processes: () => { name: string; pid: number | undefined }[];
  #peaks = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(processes: () => { name: string; pid: number | undefined }[]) {
    this.#processes = processes;
    this.#timer = setInterval(() => void this.#sample(), sampleMilliseconds);
  }

  take(): Map<string, number> {
    const peaks = this.#peaks;
    this.#peaks = new Map();
    return peaks;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #sample(): Promise<void> {
    for (const { name, pid } of this.#processes()) {
      const bytes = pid === undefined ? 0 : await residentBytesNow(pid).catch(() => 0); // it may have ended
      this.#peaks.set(name, Math.max(this.#peaks.get(name) ?? 0, bytes));
    }
  }
}

async function prepare(stage: Stage) {
  const realm = await makeRealm(stage);
  const accounts = await addUsers(stage, realm, clients + 1);
  const channels = await addChannels(stage, realm, Math.max(10, Math.round(clients / 10)));
  const perGroup = 100;
  for (let first = 0; first < accounts.length; first += perGroup)
    await subscribe(
      stage,
      realm,
      accounts.slice(first, first + perGroup),
      Array.from({ length: 5 }, (_, n) => channels[((first / perGroup) * 5 + n) % channels.length] ?? 0),
    );
  const [writer, ...readers] = accounts;
  if (!writer) throw new Error("there is an account");
  const [channel = 0] = channels;
  await settle(stage);
  return { writer, readers, place: { channel, topic: "weather" } };
}

async function measure(stage: Stage): Promise<Measured[]> {
  const release = await buildRelease(stage);
  const { writer: sender, readers, place } = await prepare(stage);
  const create = (name: string, roles: string) => ServerProcess.create(stage, release, name, roles);
  const server: Server = {
    api: [await create("api 1", "api"), await create("api 2", "api")],
    relay: await create("relay", "relay"),
  };
  const processes = [server.relay, ...server.api];
  const measured: Measured[] = [];
  try {
    for (const process of processes) await process.start();
    const urls = server.api.map(({ url }) => url);
    const memory = new Memory(() => processes);
    const crowd = new Crowd(readers, urls);
    const writer = new Writer(urls.toReversed(), sender, place);
    try {
      if (!(await crowd.untilLive(clients, 0, { timeoutSeconds: arrivalTimeoutSeconds, say })))
        throw new Error("not all clients became live");
      say(`${clients} clients are live, after ${crowd.tally.registrations} registrations`);
      for (const storm of storms.filter(({ name }) => chosen.includes(name))) {
        memory.take();
        await delay(quietSeconds * 1000);
        measured.push(await blow(stage, storm, server, { crowd, writer, memory }));
      }
    } finally {
      memory.end();
      crowd.end();
      await writer.end();
    }
  } finally {
    await Promise.all(processes.map((process) => process.kill()));
  }
  return measured;
}

async function blow(
  stage: Stage,
  { name, what, isOfFirstNode, strike, repair }: Storm,
  server: Server,
  { crowd, writer, memory }: { crowd: Crowd; writer: Writer; memory: Memory },
): Promise<Measured> {
  const before = memory.take();
  const { lost, refusals, registrations, liveOnFirst } = crowd.tally;
  const struck = isOfFirstNode ? liveOnFirst : clients;
  say(`${name}: ${struck} clients`);
  const struckAt = Date.now();
  const sendsSince = await strike(stage, server);
  const isLive = await crowd.untilLive(clients, lost + struck, { timeoutSeconds: stormTimeoutSeconds, say });
  const after = crowd.tally;
  const sent = (await writer.since(sendsSince)).map(({ milliseconds }) => milliseconds);
  const peaks = memory.take();
  await repair(server);
  // Both api processes do the same work, at different times.
  const apiBefore = Math.max(...server.api.map((process) => before.get(process.name) ?? 0));
  const apiPeak = Math.max(...server.api.map((process) => peaks.get(process.name) ?? 0));
  const result: Measured = {
    storm: name,
    what,
    clients,
    seconds: isLive ? (after.liveAt - struckAt) / 1000 : Infinity,
    p50: percentile(sent, 0.5),
    p99: percentile(sent, 0.99),
    memory: [
      { name: "api", before: apiBefore, peak: apiPeak },
      { name: "relay", before: before.get("relay") ?? 0, peak: peaks.get("relay") ?? 0 },
    ],
    refusals: after.refusals - refusals,
    registrations: after.registrations - registrations,
  };
  say(describe(result));
  return result;
}

const breakOff = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => breakOff.abort());
const measured = await withStage({ isQuick: values.quick, say, signal: breakOff.signal }, measure);
for (const miss of findMissed(measured, await readBaseline())) {
  say(miss);
  process.exitCode = 1;
}
if (!values.quick && measured.length === storms.length) await writeReport(measured);
if (values.record) await recordBaseline(measured);
process.exit();
