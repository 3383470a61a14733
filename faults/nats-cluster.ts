/**
 * Three NATS servers. Each pair is connected through a proxy of ours in each direction, so that a server can be separated
 * from the others while its clients still reach it.
 */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { engineAccount, makePrivateFolder } from "../server/src/platform/engines/account.ts";
import { findNats } from "../server/src/platform/engines/binaries.ts";
import { freePort } from "../server/src/platform/engines/free-port.ts";
import { eventually, isAlive, launch, signal } from "../server/src/platform/engines/processes.ts";
import { startTcpProxy, type TcpProxy } from "../server/test/tcp-proxy.ts";

export interface NatsServer {
  name: string;
  port: number;
  routePort: number;
  pid: number | undefined;
}

const patienceMilliseconds = 60_000;

export class NatsCluster {
  readonly dir: string;
  readonly servers: NatsServer[];
  /** For each pair of names, in the direction of the connection. */
  readonly #proxies = new Map<string, TcpProxy>();

  private constructor(dir: string, servers: NatsServer[]) {
    this.dir = dir;
    this.servers = servers;
  }

  static async start(): Promise<NatsCluster> {
    const dir = await mkdtemp(join(tmpdir(), "skein-nats-"));
    await chmod(dir, 0o711); // the servers may run as another user, which needs to traverse this folder
    const servers: NatsServer[] = [];
    for (const name of ["nats-1", "nats-2", "nats-3"])
      servers.push({ name, port: await freePort(), routePort: await freePort(), pid: undefined });
    const cluster = new NatsCluster(dir, servers);
    for (const from of servers)
      for (const to of servers)
        if (from !== to) cluster.#proxies.set(`${from.name} ${to.name}`, await startTcpProxy(to.routePort));
    await Promise.all(servers.map((server) => cluster.startServer(server)));
    await cluster.untilComplete();
    return cluster;
  }

  get url(): string {
    return this.servers.map(({ port }) => `nats://127.0.0.1:${port}`).join(",");
  }

  async startServer(server: NatsServer): Promise<void> {
    const account = await engineAccount();
    const store = join(this.dir, server.name);
    await makePrivateFolder(store, account);
    const config = join(this.dir, `${server.name}.conf`);
    await writeFile(config, this.#settings(server, store));
    server.pid = await launch({
      name: server.name,
      program: await findNats(),
      args: ["-c", config],
      log: join(this.dir, `${server.name}.log`),
      account,
      isReady: () => Promise.resolve(true),
    });
  }

  async kill(server: NatsServer): Promise<void> {
    const { pid } = server;
    if (pid === undefined) return;
    signal(pid, "SIGKILL");
    server.pid = undefined;
    if (!(await eventually(async () => !(await isAlive(pid)), 10_000)))
      throw new Error(`${server.name} survived SIGKILL`);
  }

  /** Freezes the process; its connections stay open. */
  pause({ pid }: NatsServer): void {
    if (pid !== undefined) signal(pid, "SIGSTOP");
  }

  resume({ pid }: NatsServer): void {
    if (pid !== undefined) signal(pid, "SIGCONT");
  }

  /** Separates the server from the other two. Nothing passes in either direction, and no connection is closed. */
  cut(server: NatsServer): void {
    for (const proxy of this.#routesOf(server)) proxy.hold();
  }

  heal(server: NatsServer): void {
    for (const proxy of this.#routesOf(server)) proxy.release();
  }

  #routesOf({ name }: NatsServer): TcpProxy[] {
    return [...this.#proxies].filter(([pair]) => pair.split(" ").includes(name)).map(([, proxy]) => proxy);
  }

  /** The server that leads the stream. */
  async leaderOf(stream: string): Promise<NatsServer> {
    const info = await this.#ask((manager) => manager.streams.info(stream));
    const leader = this.servers.find(({ name }) => name === info.cluster?.leader);
    if (!leader) throw new Error(`${stream} has no leader`);
    return leader;
  }

  /** Returns once all servers form a cluster, and all replicas of the streams are current. */
  async untilComplete(stream?: string): Promise<void> {
    const isComplete = async () => {
      try {
        if (stream === undefined) {
          const account = await this.#ask((manager) => manager.getAccountInfo());
          return account.streams >= 0;
        }
        const { cluster } = await this.#ask((manager) => manager.streams.info(stream));
        const replicas = cluster?.replicas ?? [];
        return replicas.length === 2 && replicas.every(({ current, offline }) => current && !offline);
      } catch {
        return false; // there is no leader yet
      }
    };
    if (!(await eventually(isComplete, patienceMilliseconds)))
      throw new Error(`the NATS cluster did not recover; its logs are in ${this.dir}`);
  }

  async #ask<T>(question: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>): Promise<T> {
    const nats = await connect({ servers: this.url.split(","), reconnect: false, timeout: 3000 });
    try {
      return await question(await jetstreamManager(nats, { checkAPI: false, timeout: 3000 }));
    } finally {
      await nats.close();
    }
  }

  async stop({ keep }: { keep: boolean }): Promise<void> {
    for (const server of this.servers) {
      this.resume(server);
      await this.kill(server);
    }
    for (const proxy of this.#proxies.values()) await proxy.close();
    if (!keep) await rm(this.dir, { recursive: true, force: true });
  }

  #settings(server: NatsServer, store: string): string {
    const routes = [...this.#proxies]
      .filter(([pair]) => pair.startsWith(`${server.name} `))
      .map(([, { port }]) => `"nats-route://127.0.0.1:${port}"`);
    // Servers tell each other where to connect; nothing listens at this address, so that they use the proxies.
    return `server_name: ${server.name}
listen: "127.0.0.1:${server.port}"
max_payload: 8MB
jetstream: { store_dir: "${store}", max_file_store: 1TB }
cluster: {
  name: faults
  listen: "127.0.0.1:${server.routePort}"
  advertise: "127.0.0.1:1"
  no_advertise: true
  routes: [${routes.join(", ")}]
}
`;
  }
}
