/**
 * Moves an organization from one cell to another under load, behind two routers, while nodes, engines, routers, the directory and
 * the move itself are killed. Every message that was acknowledged has to be in the new cell once, each queue gets everything of its
 * cell in order, and clients register again once.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../server/src/platform/db/connect.ts";
import { freePort } from "../server/src/platform/engines/free-port.ts";
import { killPostgres, startPostgres, stopPostgres } from "../server/src/platform/engines/postgres.ts";
import { otherFindings, type Problem } from "./conclude.ts";
import { openWitness, readEpochs, readExpected, readMessages, readStored } from "./evidence.ts";
import { Killer, targetsOf, toTarget, type Target } from "./killer.ts";
import { makeOrganization } from "./organization.ts";
import { PersistentReader } from "./persistent-reader.ts";
import { ServerProcess, thisRelease } from "./processes.ts";
import { Random } from "./random.ts";
import { newTally, type Reader, type Tally } from "./readers.ts";
import { Progress, type Say } from "./report.ts";
import { sendMarkers, Senders } from "./senders.ts";
import { judge, type QueueHistory } from "./verdict.ts";
import { World } from "./world.ts";

const clients = 24;
const [host, name] = ["127.0.0.1", "faults"];
const settleMilliseconds = 60_000;
const maxAttempts = 30;
/** This share of the attempts is killed. */
const killedShare = 0.7;

export interface MoveOptions {
  seed: number;
  /** Before the move, and after it. */
  seconds: number;
  killEverySeconds: number;
}

/** What all processes of both cells, the routers and commands have in common. */
const shared = {
  SKEIN_SECRET: "a secret that both cells have, long enough",
  SKEIN_TRUST_PROXY: "1",
  SKEIN_EXTERNAL_URL: "",
};

/** Two cells, a directory with a PostgreSQL of its own, and two routers. */
export class Cells {
  readonly first: World;
  readonly second: World;
  readonly directory: { dir: string; url: string; port: number };
  readonly routers: readonly { process: ServerProcess; url: string }[];

  private constructor(first: World, second: World, directory: Cells["directory"], ports: readonly number[]) {
    [this.first, this.second, this.directory] = [first, second, directory];
    this.routers = ports.map((port, index) => {
      const own = `router-${index + 1}`;
      const environment = {
        ...process.env,
        ...shared,
        SKEIN_TRUST_PROXY: "",
        SKEIN_DIRECTORY_URL: directory.url,
        SKEIN_DIRECTORY_COPY: join(directory.dir, `${own}.json`),
        SKEIN_PORT: String(port),
        SKEIN_NODE_NAME: own,
        SKEIN_DRAIN_DELAY_SECONDS: "0",
      };
      const running = new ServerProcess(own, environment, join(first.dir, `${own}.log`), thisRelease, ["router"]);
      return { process: running, url: `http://${host}:${port}` };
    });
  }

  static async start(): Promise<Cells> {
    const dir = await mkdtemp(join(tmpdir(), "skein-directory-"));
    await chmod(dir, 0o711);
    const { url, port } = await startPostgres(dir, { port: await freePort() });
    const environment = { ...shared, SKEIN_DIRECTORY_URL: url };
    const [first, second] = [await World.create({ environment }), await World.create({ environment })];
    const cells = new Cells(first, second, { dir, url, port }, [await freePort(), await freePort()]);
    await Promise.all([first.start(), second.start()]);
    for (const [number, cell] of [first, second].entries()) await cells.#add(cell, number);
    for (const router of cells.routers) await router.process.startAndWait();
    return cells;
  }

  async #add(cell: World, number: number): Promise<void> {
    const args = ["cell", "add", `cell-${number}`, "--number", String(number), "--address", cell.nodes.join(",")];
    const { code, text } = await this.run(cell, args);
    if (code !== 0) throw new Error(`the cell could not be added: ${text}`);
  }

  /** Runs a command with a cell's settings; it is killed after the given time. */
  async run(cell: World, args: readonly string[], killAfter?: number): Promise<{ code: number | null; text: string }> {
    const other = cell === this.first ? this.second : this.first;
    const child = spawn(thisRelease.node, [thisRelease.file, ...args], {
      env: {
        ...process.env,
        ...shared,
        SKEIN_DATABASE_URL: cell.engines.postgresUrl,
        SKEIN_NATS_URL: cell.engines.natsUrl,
        SKEIN_FILES_DIR: join(cell.dir, "files"),
        SKEIN_DIRECTORY_URL: this.directory.url,
        SKEIN_TARGET_DATABASE_URL: other.engines.postgresUrl,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += String(chunk)));
    const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter);
    const [code] = (await once(child, "close")) as [number | null];
    clearTimeout(timer);
    return { code, text };
  }

  get targets(): Target[] {
    const { dir, port } = this.directory;
    return [
      ...targetsOf(this.first, "first "),
      ...targetsOf(this.second, "second "),
      ...this.routers.map(({ process: router }) => toTarget(router)),
      {
        name: "directory",
        kill: () => killPostgres(dir),
        start: async () => void (await startPostgres(dir, { port })),
      },
    ];
  }

  async ready(): Promise<void> {
    await Promise.all([this.first.ready(), this.second.ready()]);
  }

  async stop({ keep }: { keep: boolean }): Promise<void> {
    await Promise.all(this.routers.map(({ process: router }) => router.stop()));
    await Promise.all([this.first.stop({ keep }), this.second.stop({ keep })]);
    await stopPostgres(this.directory.dir);
    if (!keep) await rm(this.directory.dir, { recursive: true, force: true });
  }
}

export async function runMovingOrganization(cells: Cells, options: MoveOptions, say: Say) {
  const random = new Random(options.seed);
  const { first, second } = cells;
  const urls = cells.routers.map(({ url }) => url);
  const organization = await makeOrganization(
    first,
    random,
    { members: clients, channels: 8 },
    { realm: { string_id: name, host }, urls },
  );
  for (const { db } of [first, second]) await openWitness(db);
  const tally = newTally();
  const readers = organization.members.map(
    (member, index) => new PersistentReader(member.name, member, index, random, () => tally),
  );
  await Promise.all(readers.map((reader) => reader.start()));
  const senders = new Senders(organization, random.fork(), { senders: 10, rate: 60 });
  const killer = new Killer(cells.targets, random.fork(), options.killEverySeconds * 1000);
  const progress = new Progress({ senders, killer, tally, say });
  senders.start();
  killer.start();
  await delay(options.seconds * 1000);
  const attempts = await move(cells, random, say);
  await delay(options.seconds * 1000);
  await killer.stop();
  await senders.stop();
  progress.stop();
  await cells.ready();

  say("sending ends, reading on …");
  const markers = await sendMarkers(organization);
  await untilMarked(readers, organization.members, markers);
  await Promise.all(readers.map((reader) => reader.stop()));
  say("comparing …");
  const acknowledged = [...senders.acknowledged, ...markers];
  const sides = await Promise.all(
    [first, second].map(async ({ db }) =>
      judgeCell(
        db,
        readers.flatMap(({ queues }) => queues),
        tally,
      ),
    ),
  );
  return {
    seed: options.seed,
    acknowledged: senders.acknowledged.length,
    refused: senders.refused,
    unknown: senders.unknown,
    clients,
    attempts,
    kills: killer.kills.length,
    longest_silence_milliseconds: longestSilence(senders.acknowledgedAt),
    findings: [
      ...sides.flatMap(({ findings }) => findings),
      ...judgeMoved(await readMessages(second.db), acknowledged),
      ...otherFindings(first, tally),
      ...otherFindings(second, newTally()),
      ...tooMany(readers),
    ] satisfies Problem[],
  };
}

/** Runs the command until it succeeds. Returns how often that was. */
async function move(cells: Cells, random: Random, say: Say): Promise<number> {
  const args = ["realm", "move", name, "--to", "cell-1", "--files", join(cells.second.dir, "files")];
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const killAfter = random.next() < killedShare ? Math.round(random.between(500, 12_000)) : undefined;
    const { code, text } = await cells.run(cells.first, args, killAfter);
    const last = text.trim().split("\n").at(-1) ?? "";
    say(
      code === 0
        ? `moved in attempt ${attempt}`
        : `attempt ${attempt} ${code === null ? "was killed" : `failed: ${last}`}`,
    );
    if (code === 0) return attempt;
    // An engine may be down.
    if (code !== null) await delay(1000);
  }
  throw new Error(`the organization did not move in ${maxAttempts} attempts`);
}

async function untilMarked(
  readers: readonly PersistentReader[],
  members: readonly { name: string }[],
  markers: readonly { id: number; text: string }[],
): Promise<void> {
  const idOf = new Map(markers.map(({ id, text }) => [text, id]));
  const deadline = performance.now() + settleMilliseconds;
  for (const [index, member] of members.entries()) {
    const id = idOf.get(`marker of ${member.name}`);
    const hasIt = () => {
      const reader = readers[index]?.current;
      // A queue that is narrowed to a channel gets no direct messages.
      return reader?.kind.narrow !== undefined || reader?.deliveries.some(({ messageId }) => messageId === id);
    };
    while (!hasIt() && performance.now() < deadline) await delay(20); // the verdict reports those that never get it
  }
}

/** The queues that were registered in this cell. */
async function judgeCell(db: Db, all: readonly Reader[], tally: Tally): Promise<{ findings: Problem[] }> {
  const known = await readEpochs(
    db,
    all.flatMap(({ queueId }) => queueId ?? []),
  );
  const queues: QueueHistory[] = [];
  for (const reader of all) {
    const { queueId } = reader;
    if (queueId === undefined || !known.has(queueId)) continue;
    queues.push({
      name: reader.name,
      deliveries: reader.deliveries,
      expected: await readExpected(db, queueId, reader.kind),
      isExpired: reader.isExpired,
      complaints: [],
    });
  }
  const stored = await readStored(db);
  const here = new Set(stored.map(({ id }) => id));
  const deliveredTexts = new Map([...tally.texts].filter(([id]) => here.has(id)));
  return { findings: judge({ stored, acknowledged: [], deliveredTexts, queues }) };
}

/** What was acknowledged in either cell is in the new one, once. */
function judgeMoved(
  stored: ReadonlyMap<number, string>,
  acknowledged: readonly { id: number; text: string }[],
): Problem[] {
  const say = (text: string): Problem => ({ rule: "moved once", about: "messages", text });
  const missing = acknowledged.filter(({ id, text }) => stored.get(id) !== text);
  const doubled = [...Map.groupBy(stored, ([, text]) => text)].filter(([, same]) => same.length > 1);
  return [
    ...missing.map(({ id, text }) => say(`message ${id} was acknowledged and is not in the new cell: ${text}`)),
    ...doubled.map(([text, same]) => say(`"${text}" is there ${same.length} times`)),
  ];
}

const tooMany = (readers: readonly PersistentReader[]): Problem[] =>
  readers
    .filter(({ queues }) => queues.length !== 2)
    .map(({ queues }) => ({
      rule: "one new registration",
      about: queues[0]?.name ?? "",
      text: `${queues.length - 1} new registrations`,
    }));

const longestSilence = (times: readonly number[]): number =>
  Math.round(Math.max(0, ...times.map((time, index) => time - (times[index - 1] ?? time))));
