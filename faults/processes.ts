/**
 * A server process that is restarted whenever it exits, as by a service manager. It can be killed, and it counts exits that
 * were not kills: a running process must survive the loss of any other.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A release: its command line, and the Node that runs it. */
export interface Program {
  file: string;
  node: string;
}

/** This checkout. */
export const thisRelease: Program = {
  file: fileURLToPath(new URL("../server/src/cli/main.ts", import.meta.url)),
  node: process.execPath,
};
const restartMilliseconds = 300;

export class ServerProcess {
  readonly name: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #log: string;
  readonly #args: readonly string[];
  #program: Program;
  #child: ChildProcess | undefined;
  #shouldRun = true;
  #isUp = false;
  #running: Promise<void> = Promise.resolve();
  /** How often it crashed after it was up. */
  crashes = 0;
  /** How often it exited before it was up, which is correct while an engine is down. */
  failedStarts = 0;

  constructor(
    name: string,
    environment: NodeJS.ProcessEnv,
    log: string,
    program: Program = thisRelease,
    args: readonly string[] = ["serve"],
  ) {
    this.name = name;
    this.#args = args;
    this.#program = program;
    this.#environment = environment;
    this.#log = log;
  }

  start(): void {
    this.#shouldRun = true;
    this.#running = this.#keepRunning();
  }

  /** Returns when it is up. */
  async startAndWait(): Promise<void> {
    this.start();
    while (!this.#isUp && !this.#isKilled()) await delay(20);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Stops it gracefully, and starts it with another release. Returns when it is up. */
  async replace(program: Program): Promise<void> {
    await this.stop();
    this.#program = program;
    await this.startAndWait();
  }

  /** Sends SIGKILL, and waits; the process stays down until it is started. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#shouldRun = false;
    this.#child?.kill(signal);
    await this.#running;
  }

  /** A function, so that TypeScript does not narrow the condition across awaits. */
  #isKilled(): boolean {
    return !this.#shouldRun;
  }

  async #keepRunning(): Promise<void> {
    while (this.#shouldRun) {
      const log = openSync(this.#log, "a");
      const { file, node } = this.#program;
      const child = fork(file, this.#args, {
        execPath: node,
        execArgv: [],
        env: this.#environment,
        stdio: ["ignore", log, log, "ipc"],
      });
      closeSync(log);
      this.#child = child;
      child.once("message", () => (this.#isUp = true));
      await once(child, "exit");
      this.#child = undefined;
      const wasUp = this.#isUp;
      this.#isUp = false;
      if (this.#isKilled()) return;
      if (wasUp) this.crashes++;
      else this.failedStarts++;
      await delay(restartMilliseconds);
    }
  }
}
