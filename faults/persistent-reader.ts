/** A client that registers again when its queue has expired. */
import type { Member } from "./organization.ts";
import type { Random } from "./random.ts";
import { queueKind, Reader, type Tally } from "./readers.ts";

export class PersistentReader {
  readonly queues: Reader[] = [];
  readonly #make: (number: number) => Reader;
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();

  /** `tallyOf` is called once for every queue. */
  constructor(name: string, member: Member, index: number, random: Random, tallyOf: () => Tally) {
    this.#make = (number) =>
      new Reader(`queue ${number} of ${name}`, member, queueKind(index, member), random.fork(), tallyOf());
  }

  get current(): Reader | undefined {
    return this.queues.at(-1);
  }

  /** Returns once it is registered. */
  async start(): Promise<void> {
    const reader = this.#make(this.queues.length + 1);
    this.queues.push(reader);
    await reader.start();
    this.#running = reader.ended().then(() => (this.#isStopped ? undefined : this.start()));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.current?.stop();
    await this.#running;
  }
}
