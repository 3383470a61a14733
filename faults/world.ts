/** Everything a run needs, each part a process of its own: PostgreSQL, NATS, two api nodes, two relays, a worker. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Role } from "../server/src/config.ts";
import { connect, type Db } from "../server/src/platform/db/connect.ts";
import { migrate } from "../server/src/platform/db/migrate.ts";
import { startEngines, stopEngines, type Engines } from "../server/src/platform/engines/engines.ts";
import { freePort } from "../server/src/platform/engines/free-port.ts";
import { ServerProcess } from "./processes.ts";

/** Short, so that heartbeats too fall between kills. */
const heartbeatSeconds = 10;
const readyMilliseconds = 60_000;

export class World {
  readonly dir: string;
  readonly engines: Engines;
  readonly db: Db;
  /** Addresses of the api nodes. */
  readonly nodes: readonly string[];
  readonly processes: readonly ServerProcess[];

  private constructor(engines: Engines, ports: number[]) {
    this.dir = engines.dir;
    this.engines = engines;
    // Its connections break with every kill of PostgreSQL, which is no news.
    this.db = connect({ url: engines.postgresUrl, connections: 4, name: "faults", onIdleError: () => undefined });
    this.nodes = ports.map((port) => `http://127.0.0.1:${port}`);
    this.processes = [
      ...ports.map((port, index) => newProcess(engines, `api-${index + 1}`, "api", { SKEIN_PORT: String(port) })),
      newProcess(engines, "relay-1", "relay"),
      newProcess(engines, "relay-2", "relay"),
      newProcess(engines, "worker", "worker"),
    ];
  }

  static async create(): Promise<World> {
    const dir = await mkdtemp(join(tmpdir(), "skein-faults-"));
    await chmod(dir, 0o711); // the engines may run under another account, which has to pass through
    return new World(await startEngines(dir), [await freePort(), await freePort()]);
  }

  async start(): Promise<void> {
    await migrate(this.engines.postgresUrl);
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
      await until(node, async () => (await fetch(`${node}/health/ready`).catch(() => undefined))?.ok === true);
  }

  async stop({ keep }: { keep: boolean }): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop()));
    await this.db.destroy();
    await stopEngines(this.dir);
    if (!keep) await rm(this.dir, { recursive: true, force: true });
  }
}

function newProcess(engines: Engines, name: string, role: Role, more: NodeJS.ProcessEnv = {}): ServerProcess {
  const environment = {
    ...process.env,
    SKEIN_DATABASE_URL: engines.postgresUrl,
    SKEIN_NATS_URL: engines.natsUrl,
    SKEIN_FILES_DIR: join(engines.dir, "files"),
    SKEIN_ROLES: role,
    SKEIN_NODE_NAME: name,
    SKEIN_RATE_LIMITS: "false",
    SKEIN_HEARTBEAT_SECONDS: String(heartbeatSeconds),
    SKEIN_LOG_LEVEL: "debug",
    ...more,
  };
  return new ServerProcess(name, environment, join(engines.dir, `${name}.log`));
}
