/**
 * What stands in a list of messages, from top to bottom: messages, and below them what is on its way. A list may be very
 * long, and few of its rows are on the page: a row is made when it is asked for.
 */
import { idOfRow, rowKeyOf } from "../store/messages.ts";
import type { Outgoing } from "../store/outbox.ts";
import { indexOfId, type Run } from "../store/runs.ts";

export interface Row {
  /** Stays when what was written here becomes a message. */
  readonly key: string;
  /** Infinity for what has no id yet: it stands below all that have one. */
  readonly id: number;
  readonly echo?: Outgoing;
}

export class Rows {
  readonly #ids: readonly number[];
  readonly #echoes: readonly Outgoing[];

  constructor(run: Run | undefined, echoes: readonly Outgoing[]) {
    this.#ids = run?.ids ?? [];
    // Between what is shown and what is being written there may be more.
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

  /** Infinity where there is none. */
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
