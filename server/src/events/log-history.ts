/**
 * Decides whether the event log was published from this database's history, and may be continued.
 *
 * A position in the write-ahead log proves nothing by itself: a database that was restored from an older copy reaches
 * the same positions again, with other transactions. So the log is identified by its PostgreSQL cluster (the system
 * identifier), the timeline, and a generation chosen at random for every epoch. All three are stored in the stream's
 * metadata and in `event_log`, and each entry records which sequence the database had confirmed before it. If anything does
 * not match, a new epoch begins: queues expire, clients register again, and no event of a lost transaction is delivered.
 */
import type pg from "pg";
import type { RelayPosition } from "./log-format.ts";
import { readLsn, writeLsn } from "./log-format.ts";
import { openReplication } from "./slot.ts";
import type { StreamIdentity } from "./stream.ts";

/** The database's cluster and the state of its write-ahead log. */
export interface DatabaseHistory {
  systemIdentifier: string;
  timeline: number;
  /** The end of the write-ahead log. */
  end: bigint;
  /** For each ancestor timeline, the position at which this history branched off. */
  branchedAt: ReadonlyMap<number, bigint>;
}

/** The row of `event_log`. */
export interface LogRecord {
  epoch: number;
  confirmedSequence: number;
  generation: string | undefined;
  systemIdentifier: string | undefined;
  timeline: number | undefined;
  confirmedLsn: bigint | undefined;
  /** The confirmed sequence recorded with the LSN. If it differs, a relay of an earlier version has confirmed since. */
  confirmedLsnSequence: number | undefined;
}

/** The newest entry published by a relay: transactions, or a heartbeat. */
export interface NewestEntry {
  sequence: number;
  position: RelayPosition;
  epoch: number | undefined;
  generation: string | undefined;
  /** The sequence the database had confirmed before the entry was published. */
  confirmed: number;
}

/** Everything the decision is based on. */
export interface LogState {
  slot: { confirmed: bigint } | undefined;
  /** Why PostgreSQL invalidated the slot, if it did; it is gone then. */
  lostSlot?: string | undefined;
  stream: StreamIdentity | undefined;
  newest: NewestEntry;
  /** Read before the stream, to which another relay may be adding: so the stream is at least as long as this says. */
  before: LogRecord;
  /** Read after slot and stream: so it is at least as far as they say. */
  after: LogRecord;
  history: DatabaseHistory;
}

/** What a new epoch is counted under. */
export const epochCauses = [
  "slot lost",
  "no slot",
  "no stream",
  "stream does not match",
  "database does not match",
] as const;
export type EpochCause = (typeof epochCauses)[number];

export interface Mismatch {
  reason: string;
  cause: EpochCause;
  /** Whether the slot cannot be trusted either; otherwise only the stream is wrong. */
  isDatabase: boolean;
}

/** Why the log cannot be continued; undefined when it can. */
export function findMismatch(state: LogState): Mismatch | undefined {
  const { slot, lostSlot, stream } = state;
  if (lostSlot !== undefined) return { ...ofStream(lostSlot), cause: "slot lost" };
  if (!slot) return { ...ofStream("there was no replication slot"), cause: "no slot" };
  if (!stream) return { ...ofStream("there was no stream"), cause: "no stream" };
  return streamMismatch(state, stream) ?? databaseMismatch({ ...state, slot, stream });
}

const ofStream = (reason: string): Mismatch => ({ reason, cause: "stream does not match", isDatabase: false });
const ofDatabase = (reason: string): Mismatch => ({ reason, cause: "database does not match", isDatabase: true });

function streamMismatch({ newest, before, after }: LogState, stream: StreamIdentity): Mismatch | undefined {
  if (stream.epoch !== after.epoch)
    return ofStream(`the stream has epoch ${stream.epoch}, but the database expects epoch ${after.epoch}`);
  if (stream.generation !== undefined && after.generation !== undefined && stream.generation !== after.generation)
    return ofStream("the stream has another generation than the database expects");
  if (newest.sequence < before.confirmedSequence)
    return ofStream(`the stream ends at ${newest.sequence}, but had reached ${before.confirmedSequence} before`);
  const isForeign = newest.epoch !== undefined && !belongsToStream(newest, stream);
  return isForeign ? ofStream("the stream's newest entry belongs to another log") : undefined;
}

function databaseMismatch({
  slot,
  stream,
  newest,
  after,
  history,
}: LogState & { slot: { confirmed: bigint }; stream: StreamIdentity }): Mismatch | undefined {
  const { lsn } = newest.position;
  for (const known of [stream.systemIdentifier, after.systemIdentifier])
    if (known !== undefined && known !== history.systemIdentifier)
      return ofDatabase(`the log was published from database system ${known}, but this is ${history.systemIdentifier}`);
  if (newest.confirmed > after.confirmedSequence)
    return ofDatabase(
      `the database was restored to an earlier state: it has confirmed the log up to ${after.confirmedSequence}, but had ` +
        `confirmed ${newest.confirmed} before`,
    );
  if (lsn > history.end)
    return ofDatabase(`the log reaches ${writeLsn(lsn)}, but the database ends at ${writeLsn(history.end)}`);
  const timeline = stream.timeline ?? after.timeline;
  if (timeline !== undefined && timeline !== history.timeline) {
    const branchedAt = history.branchedAt.get(timeline);
    if (branchedAt === undefined)
      return ofDatabase(
        `the log was published from timeline ${timeline}, which is not an ancestor of timeline ${history.timeline}`,
      );
    if (lsn >= branchedAt || slot.confirmed > branchedAt)
      return ofDatabase(
        `timeline ${history.timeline} branched off at ${writeLsn(branchedAt)}, but the log had already reached ` +
          `${writeLsn(lsn > slot.confirmed ? lsn : slot.confirmed)} on timeline ${timeline}`,
      );
    // A slot that was copied to a standby without its snapshots skips transactions until it finds a consistent point. Only
    // if it sends the log's newest transaction again has it skipped nothing, so that transaction must still be unconfirmed.
    if (lsn < slot.confirmed)
      return ofDatabase(
        `the replication slot on timeline ${history.timeline} may skip transactions after ${writeLsn(lsn)}`,
      );
  }
  const isLsnCurrent = after.confirmedLsnSequence === after.confirmedSequence;
  if (isLsnCurrent && after.confirmedLsn !== undefined && slot.confirmed > after.confirmedLsn)
    return ofDatabase(
      `the replication slot is at ${writeLsn(slot.confirmed)}, but was confirmed only up to ${writeLsn(after.confirmedLsn)}`,
    );
  return undefined;
}

/** Whether an entry belongs to the stream. Relays and nodes of an earlier version write no generation. */
export const belongsToStream = (
  entry: { epoch: number | undefined; generation: string | undefined },
  stream: { epoch: number; generation: string | undefined },
): boolean =>
  entry.epoch === stream.epoch &&
  (entry.generation === undefined || stream.generation === undefined || entry.generation === stream.generation);

/** Uses a replication connection, because on others only superusers may read the timelines' history. */
export async function readHistory(connection: { databaseUrl: string; name: string }): Promise<DatabaseHistory> {
  const client = await openReplication(connection);
  try {
    const system = await client.query<{ systemid: string; timeline: number; xlogpos: string }>("IDENTIFY_SYSTEM");
    const [row] = system.rows;
    if (!row) throw new Error("PostgreSQL returned no system identifier");
    const { timeline } = row;
    return {
      systemIdentifier: row.systemid,
      timeline,
      end: readLsn(row.xlogpos),
      branchedAt: timeline === 1 ? new Map() : await readTimelines(client, timeline),
    };
  } finally {
    await client.end();
  }
}

async function readTimelines(client: pg.Client, timeline: number): Promise<Map<number, bigint>> {
  const { rows } = await client.query<{ content: Buffer | string }>(`TIMELINE_HISTORY ${timeline}`);
  return parseTimelines(String(rows[0]?.content ?? ""));
}

/** Parses a history file. Each line has an ancestor timeline, the position where it was left, and the reason. */
export function parseTimelines(text: string): Map<number, bigint> {
  const found = text.matchAll(/^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/gim);
  return new Map([...found].map(([, timeline, lsn = ""]) => [Number(timeline), readLsn(lsn)]));
}
