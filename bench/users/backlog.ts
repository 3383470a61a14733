/** Backlogs: what piles up when a part of the server is too slow. Samples of each, and whether they grow. */
import type { Stage } from "../stage.ts";
import type { Load } from "./load.ts";

export interface Sample {
  "requests in flight": number;
  "messages that have not reached everybody": number;
  "bytes of write-ahead log that the relay has not confirmed": number;
  "messages that are not indexed": number;
}

/** Below this a backlog is normal, however it changes. */
const harmless: Sample = {
  "requests in flight": 100,
  "messages that have not reached everybody": 100,
  "bytes of write-ahead log that the relay has not confirmed": 64 * 1024 ** 2,
  "messages that are not indexed": 2000,
};

export async function sampleBacklog({ pool }: Stage, load: Load): Promise<Sample> {
  const { rows } = await pool.query<{ bytes: string | null; unindexed: string | null }>(
    `select (select max(pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)) from pg_replication_slots) as bytes,
      (select max(id) from messages) - (select message_id from search_progress) as unindexed`,
  );
  return {
    "requests in flight": load.inFlight,
    "messages that have not reached everybody": load.ledger.countOpen(),
    "bytes of write-ahead log that the relay has not confirmed": Number(rows[0]?.bytes ?? 0),
    "messages that are not indexed": Number(rows[0]?.unindexed ?? 0),
  };
}

/** The names of backlogs that grew: in the last third of the time half again as large as in the first, and not harmless. */
export function growing(samples: readonly Sample[]): string[] {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return [];
  const names = Object.keys(harmless) as (keyof Sample)[]; // a literal's keys
  return names.filter((name) => {
    const mean = (some: readonly Sample[]) => some.reduce((sum, sample) => sum + sample[name], 0) / some.length;
    const [first, last] = [mean(samples.slice(0, third)), mean(samples.slice(-third))];
    return last > harmless[name] && last > first * 1.5;
  });
}
