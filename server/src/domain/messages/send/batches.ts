/**
 * Groups sends: messages that arrive while a commit is in flight are committed together in the next one. A group is one
 * statement; when it fails as a whole, each member is retried alone, so that one bad message does not cost the others
 * theirs.
 */
import { maxPartLength } from "../../../events/log-format.ts";

const maxMembers = 200;
const maxInFlight = 1;

interface Member<T, R> {
  item: T;
  length: number;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

export class Batches<T, R> {
  readonly #commit: (items: T[]) => Promise<R[]>;
  readonly #onCommit: (size: number) => void;
  #pending: Member<T, R>[] = [];
  #inFlight = 0;
  #isScheduled = false;

  constructor(commit: (items: T[]) => Promise<R[]>, onCommit: (size: number) => void) {
    this.#commit = commit;
    this.#onCommit = onCommit;
  }

  /** `length`: how much of the event log the item will take. */
  add(item: T, length: number): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ item, length, resolve, reject });
      this.#schedule();
    });
  }

  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#pending.length === 0;
  }

  /**
   * Waits for the requests that arrived with this one: committing one alone costs as much as committing all of them.
   */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#next();
    });
  }

  #next(): void {
    while (this.#inFlight < maxInFlight && this.#pending.length > 0) {
      const members = this.#pending.splice(0, this.#groupSize());
      this.#inFlight++;
      void this.#run(members).finally(() => {
        this.#inFlight--;
        this.#next();
      });
    }
  }

  /** A group is one part of the log, which has to fit into one entry. */
  #groupSize(): number {
    let length = 0;
    const tooMuch = this.#pending.findIndex((member, n) => {
      length += member.length;
      return n >= maxMembers || (n > 0 && length > maxPartLength);
    });
    return tooMuch === -1 ? this.#pending.length : tooMuch;
  }

  async #run(members: Member<T, R>[]): Promise<void> {
    try {
      const results = await this.#commit(members.map((member) => member.item));
      this.#onCommit(members.length);
      for (const [index, member] of members.entries()) member.resolve(results[index] as R); // one for each item
    } catch (error) {
      const [only] = members;
      if (members.length === 1) only?.reject(error);
      else if (!isLostConnection(error)) for (const member of members) await this.#run([member]);
      // A commit without a response may have taken place; retrying could send the message twice.
      else for (const member of members) member.reject(error);
    }
  }
}

/** Errors PostgreSQL raises itself have a code of five characters; any other error is the connection's. */
const isLostConnection = (error: unknown) =>
  !(error instanceof Error && "code" in error && typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code)) ||
  /^(08|57)/.test(error.code);
