/**
 * Reads rows by their keys, those of many callers in one statement: whoever asks while statements are running shares the next one.
 * When ten thousand clients come back at once, as many statements would keep everybody else waiting for a connection.
 *
 * **Invariant:** a row is read after it was asked for.
 */
import { setTimeout as delay } from "node:timers/promises";

/** At once. A single caller never waits for another one, and of many most share. */
const maxStatements = 2;
const maxKeys = 200;
/** Between two statements, so that in a busy time more share the next one. */
const pauseMilliseconds = 2;

export class BatchedReads<Key, Row> {
  readonly #read: (keys: Key[]) => Promise<Map<Key, Row>>;
  readonly #waiting = new Map<Key, PromiseWithResolvers<Row | undefined>>();
  #running = 0;

  /** `read` executes one statement. */
  constructor(read: (keys: Key[]) => Promise<Map<Key, Row>>) {
    this.#read = read;
  }

  /** Undefined if there is no such row. */
  find(key: Key): Promise<Row | undefined> {
    const asked = this.#waiting.get(key) ?? Promise.withResolvers<Row | undefined>();
    this.#waiting.set(key, asked);
    if (this.#running < maxStatements) void this.#readWaiting();
    return asked.promise;
  }

  async #readWaiting(): Promise<void> {
    this.#running++;
    while (this.#waiting.size > 0) {
      // The newest first: if there are more than can be read in time, everybody would be late in the order of arrival.
      const batch = [...this.#waiting.entries()].slice(-maxKeys);
      for (const [key] of batch) this.#waiting.delete(key);
      try {
        const rows = await this.#read(batch.map(([key]) => key));
        for (const [key, { resolve }] of batch) resolve(rows.get(key));
      } catch (error) {
        for (const [, { reject }] of batch) reject(error);
      }
      if (this.#waiting.size > 0) await delay(pauseMilliseconds);
    }
    this.#running--;
  }
}
