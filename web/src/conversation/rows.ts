/**
 * The rows of a list, from top to bottom: messages, then those still being sent. A list may be very long with few rows in
 * the page, so a row object is created on demand.
 */
import { idOfRow, rowKeyOf } from "../store/messages.ts";
import type { Outgoing } from "../store/outbox.ts";
import { indexOfId, type Run } from "../store/runs.ts";

export interface Row {
  /** Stays the same when a message being sent arrives. */
  readonly key: string;
  /** Infinity for a message without an id yet: it comes after all that have one. */
  readonly id: number;
  readonly echo?: Outgoing;
}

export class Rows {
  readonly #ids: readonly number[];
  readonly #echoes: readonly Outgoing[];

  constructor(run: Run | undefined, echoes: readonly Outgoing[]) {
    this.#ids = run?.ids ?? [];
    // There may be unknown messages between those shown and those being sent.
    this.#echoes = run?.hasNewest ? echoes.filter(({ messageId }) => !isIn(this.#ids, messageId)) : [];
  }

  get length(): number {
    return this.#ids.length + this.#echoes.length;
  }

  at(index: number): Row | undefined {
    const id = this.#ids[index];
    if (id !== undefined) return { key: rowKeyOf(id), id };
    const echo = this.#echoes[index - this.#ids.length];
    return echo && { key: echo.localId, id: Infinity, echo };
  }

  /** Infinity if there is none. */
  idAt(index: number): number {
    return this.#ids[index] ?? Infinity;
  }

  slice(start: number, end: number): Row[] {
    return Array.from({ length: Math.max(0, end - start) }, (_, index) => this.at(start + index)).filter(
      (row) => row !== undefined,
    );
  }

  /** Index of the first row with this id or a later one. */
  indexOfId(id: number): number {
    return id === Infinity ? this.#ids.length : indexOfId(this.#ids, id);
  }

  /** -1 if there is none. */
  indexOfKey(key: string): number {
    const echo = this.#echoes.findIndex(({ localId }) => localId === key);
    if (echo >= 0) return this.#ids.length + echo;
    const id = idOfRow(key);
    const index = id === undefined ? -1 : indexOfId(this.#ids, id);
    return this.#ids[index] === id ? index : -1;
  }
}

const isIn = (ids: readonly number[], id: number | undefined): boolean =>
  id !== undefined && ids[indexOfId(ids, id)] === id;
