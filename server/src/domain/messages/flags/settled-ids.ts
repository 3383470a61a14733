/**
 * The id up to which no new message can appear. Ids are assigned before their transactions commit, so a message may
 * appear below one that has been seen, but not below an id assigned before every transaction now running began.
 *
 * This is derived from three observations, made along with other statements: an id was the newest assigned; a while
 * later (whoever takes an id writes with it at once, and has a transaction id by then) some transaction ids had been
 * assigned; and later still all transactions up to those have ended. From then on the first observation's id is
 * settled.
 */
export interface Observation {
  newest_id: number;
  /** All transactions below this one have ended. */
  oldest_running: number;
  /** Transactions from this one on had not begun. */
  next_transaction: number;
}

/** SQL for an observation. */
export const observation = `
    select last_value as newest_id, pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest_running,
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next_transaction
    from messages_id_seq`;

const delayMilliseconds = 5000;

export class SettledIds {
  #settled = 0;
  #candidate: { id: number; at: number; before?: number } | undefined;

  /** The greatest id known to be settled; all smaller ones are settled, too. */
  get newest(): number {
    return this.#settled;
  }

  /** For a database restored to an earlier state, which assigns ids again. */
  reset(): void {
    this.#settled = 0;
    this.#candidate = undefined;
  }

  observe({ newest_id, oldest_running, next_transaction }: Observation, now = performance.now()): void {
    if (newest_id < this.#settled) this.reset();
    const candidate = (this.#candidate ??= { id: newest_id, at: now });
    if (candidate.before === undefined && now - candidate.at >= delayMilliseconds) candidate.before = next_transaction;
    if (candidate.before !== undefined && oldest_running >= candidate.before) {
      this.#settled = candidate.id;
      this.#candidate = { id: newest_id, at: now };
    }
  }
}
