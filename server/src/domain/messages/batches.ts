/**
 * Sends are grouped: what arrives while a commit is under way goes together in the next one. A group is one statement;
 * when it fails as a whole, each of its members is tried alone, so that one bad message costs nobody else theirs.
 */
import { maxPartLength } from "../../events/log-format.ts";

const maxMembers = 200;
const maxUnderWay = 1;

interface Member<T, R> {
  item: T;
  length: number;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

export class Batches<T, R> {
  readonly #commit: (items: T[]) => Promise<R[]>;
  readonly #onCommit: (size: number) => void;
  #waiting: Member<T, R>[] = [];
  #underWay = 0;
  #isPlanned = false;

  constructor(commit: (items: T[]) => Promise<R[]>, onCommit: (size: number) => void) {
    this.#commit = commit;
    this.#onCommit = onCommit;
  }

  /** `length`: of what the event log will hold of it. */
  add(item: T, length: number): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, length, resolve, reject });
      this.#soon();
    });
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0;
  }

  /** After the requests that have arrived with this one: alone it would cost as much as all of them together. */
  #soon(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#next();
    });
  }

  #next(): void {
    while (this.#underWay < maxUnderWay && this.#waiting.length > 0) {
      const members = this.#waiting.splice(0, this.#groupSize());
      this.#underWay++;
      void this.#run(members).finally(() => {
        this.#underWay--;
        this.#next();
      });
    }
  }

  /** A group is told of in one part of the log, which has to fit one of its entries. */
  #groupSize(): number {
    let length = 0;
    const tooMuch = this.#waiting.findIndex((member, n) => {
      length += member.length;
      return n >= maxMembers || (n > 0 && length > maxPartLength);
    });
    return tooMuch === -1 ? this.#waiting.length : tooMuch;
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
      // Whether a commit without an answer took place is not known; to send it again could send it twice.
      else for (const member of members) member.reject(error);
    }
  }
}

/** PostgreSQL's own refusals have a code of five characters; everything else is the way to it. */
const isLostConnection = (error: unknown) =>
  !(error instanceof Error && "code" in error && typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code)) ||
  /^(08|57)/.test(error.code);
