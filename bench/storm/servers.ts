/** The processes of a server, from an unpacked release, at URLs that stay the same when they are killed and started again. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { freePort } from "../../server/src/platform/engines/free-port.ts";
import { untilServing } from "../server-process.ts";
import type { Stage } from "../stage.ts";

export class ServerProcess {
  readonly name: string;
  readonly url: string;
  readonly #start: () => ChildProcess;
  #child: ChildProcess | undefined;

  private constructor(name: string, url: string, start: () => ChildProcess) {
    this.name = name;
    this.url = url;
    this.#start = start;
  }

  static async create(stage: Stage, release: string, name: string, roles: string): Promise<ServerProcess> {
    const port = await freePort();
    const env = {
      PATH: process.env["PATH"],
      SKEIN_DATABASE_URL: stage.databaseUrl,
      SKEIN_NATS_URL: stage.natsUrl,
      SKEIN_FILES_DIR: join(stage.dir, "files"),
      SKEIN_LOG_LEVEL: "error",
      // One account writes for many.
      SKEIN_RATE_LIMITS: "false",
      SKEIN_NODE_NAME: name,
      [roles.includes("api") ? "SKEIN_PORT" : "SKEIN_HEALTH_PORT"]: String(port),
      SKEIN_DRAIN_DELAY_SECONDS: "0",
    };
    const start = () =>
      spawn(join(release, "bin/skein"), ["serve", "--roles", roles], { env, stdio: ["ignore", 2, 2] });
    return new ServerProcess(name, `http://127.0.0.1:${port}`, start);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const child = this.#start();
    this.#child = child;
    process.once("exit", () => child.kill("SIGKILL")); // an aborted run leaves nothing behind
    await untilServing(this.url, child);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}
