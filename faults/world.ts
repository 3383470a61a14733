/** All processes of a run: PostgreSQL, NATS, two api nodes, two relays, a worker. */
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Role } from "../server/src/config.ts";
import { connect, type Db } from "../server/src/platform/db/connect.ts";
import { migrate } from "../server/src/platform/db/migrate.ts";
import { startEngines, stopEngines, type Engines } from "../server/src/platform/engines/engines.ts";
import { freePort } from "../server/src/platform/engines/free-port.ts";
import { stopPostgres } from "../server/src/platform/engines/postgres.ts";
import { ServerProcess, thisRelease, type Program } from "./processes.ts";

/** Short, so that heartbeats also occur between kills. */
const heartbeatSeconds = 10;
const readyMilliseconds = 180_000;

export class World {
  readonly dir: string;
  readonly engines: Engines;
  readonly db: Db;
  /** URLs of the api nodes. */
  readonly nodes: readonly string[];
  readonly processes: readonly ServerProcess[];
  readonly #clusters: string[] = [];

  private constructor(engines: Engines, ports: number[], { program, environment }: WorldOptions) {
    this.dir = engines.dir;
    this.engines = engines;
    // Ignore errors: every kill of PostgreSQL breaks its connections.
    this.db = connect({ url: engines.postgresUrl, connections: 4, name: "faults" });
    this.nodes = ports.map((port) => `http://127.0.0.1:${port}`);
    const make = (name: string, role: Role, more: NodeJS.ProcessEnv = {}) =>
      newProcess(engines, name, role, { ...more, ...environment }, program);
    this.processes = [
      ...ports.map((port, index) => make(`api-${index + 1}`, "api", { SKEIN_PORT: String(port) })),
      make("relay-1", "relay"),
      make("relay-2", "relay"),
      make("worker", "worker"),
    ];
  }

  static async create(options: WorldOptions = {}): Promise<World> {
    const dir = await mkdtemp(join(tmpdir(), "skein-faults-"));
    await chmod(dir, 0o711); // the engines may run as another user, which needs to traverse this folder
    return new World(await startEngines(dir), [await freePort(), await freePort()], options);
  }

  async start({ isMigrated = false } = {}): Promise<void> {
    if (!isMigrated) await migrate(this.engines.postgresUrl);
    for (const process of this.processes) process.start();
    await this.ready();
  }

  /** Returns once every process is up and both nodes can serve. */
  async ready(): Promise<void> {
    const deadline = performance.now() + readyMilliseconds;
    const until = async (what: string, condition: () => Promise<boolean>) => {
      while (!(await condition())) {
        if (performance.now() > deadline) throw new Error(`${what} is not ready; its log is in ${this.dir}`);
        await delay(50);
      }
    };
    for (const process of this.processes) await until(process.name, async () => process.isUp);
    for (const node of this.nodes)
      await until(node, async () => {
        const answer = await fetch(`${node}/health/ready`).catch(() => undefined); // not listening yet
        return ((await answer?.json()) as { status: string } | undefined)?.status === "ok"; // as health.ts has it
      });
  }

  /** A folder for another PostgreSQL cluster. */
  async addCluster(name: string): Promise<string> {
    const dir = join(this.dir, name);
    await mkdir(dir);
    await chmod(dir, 0o711);
    this.#clusters.push(dir);
    return dir;
  }

  async stop({ keep }: { keep: boolean }): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop()));
    await this.db.destroy();
    await stopEngines(this.dir);
    for (const dir of this.#clusters) await stopPostgres(dir);
    if (!keep) await rm(this.dir, { recursive: true, force: true });
  }
}

export interface WorldOptions {
  /** The release that the processes run at first. */
  program?: Program;
  /** Settings of all processes. */
  environment?: NodeJS.ProcessEnv;
}

function newProcess(
  engines: Engines,
  name: string,
  role: Role,
  more: NodeJS.ProcessEnv,
  program: Program = thisRelease,
): ServerProcess {
  const environment = {
    ...process.env,
    SKEIN_DATABASE_URL: engines.postgresUrl,
    SKEIN_NATS_URL: engines.natsUrl,
    SKEIN_FILES_DIR: join(engines.dir, "files"),
    SKEIN_ROLES: role,
    SKEIN_NODE_NAME: name,
    SKEIN_RATE_LIMITS: "false",
    SKEIN_DRAIN_DELAY_SECONDS: "0",
    SKEIN_HEARTBEAT_SECONDS: String(heartbeatSeconds),
    SKEIN_LOG_LEVEL: "debug",
    ...more,
  };
  return new ServerProcess(name, environment, join(engines.dir, `${name}.log`), program);
}
