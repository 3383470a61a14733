/**
 * A server process that is started again whenever it ends, as a service manager would. It can be killed, and it notes
 * when it ended without having been: a process that was up must outlive the loss of any other.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../server/src/cli/main.ts", import.meta.url));
const restartMilliseconds = 300;

export class ServerProcess {
  readonly name: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #log: string;
  #child: ChildProcess | undefined;
  #isWanted = true;
  #isUp = false;
  #running: Promise<void> = Promise.resolve();
  /** How often it ended by itself after it was up. */
  crashes = 0;
  /** How often it ended before it was up; right when what it needs is not there. */
  failedStarts = 0;

  constructor(name: string, environment: NodeJS.ProcessEnv, log: string) {
    this.name = name;
    this.#environment = environment;
    this.#log = log;
  }

  start(): void {
    this.#isWanted = true;
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

  /** SIGKILL; it is gone afterwards and stays so until it is started. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#isWanted = false;
    this.#child?.kill(signal);
    await this.#running;
  }

  /** Asked anew after every wait, which the loop's own condition would not be. */
  #isKilled(): boolean {
    return !this.#isWanted;
  }

  async #keepRunning(): Promise<void> {
    while (this.#isWanted) {
      const log = openSync(this.#log, "a");
      const child = fork(program, ["serve"], { env: this.#environment, stdio: ["ignore", log, log, "ipc"] });
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
