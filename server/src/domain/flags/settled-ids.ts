/**
 * Up to which id all messages are there. Ids are given out before their transactions commit, so a message may appear
 * below one that has been seen; but not below an id that was given out before every transaction now running began.
 *
 * What is observed with other statements is put together in three steps: an id was the newest given out; a while later
 * (whoever took an id writes with it at once, and by then has a transaction id) some transaction ids were given out;
 * and later still all transactions up to those have ended. From then on the first observation's id is settled.
 */
export interface Observation {
  newest_id: number;
  /** All transactions below this one have ended. */
  oldest_running: number;
  /** Transactions from this one on have not begun. */
  next_transaction: number;
}

/** SQL for an observation. */
export const observation = `
    select last_value as newest_id, pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest_running,
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next_transaction
    from messages_id_seq`;

const whileMilliseconds = 5000;

export class SettledIds {
  #settled = 0;
  #candidate: { id: number; at: number; before?: number } | undefined;

  /** The greatest id known to be settled; all smaller ones are, too. */
  get newest(): number {
    return this.#settled;
  }

  observe({ newest_id, oldest_running, next_transaction }: Observation, now = performance.now()): void {
    const candidate = (this.#candidate ??= { id: newest_id, at: now });
    if (candidate.before === undefined && now - candidate.at >= whileMilliseconds) candidate.before = next_transaction;
    if (candidate.before !== undefined && oldest_running >= candidate.before) {
      this.#settled = candidate.id;
      this.#candidate = { id: newest_id, at: now };
    }
  }
}
