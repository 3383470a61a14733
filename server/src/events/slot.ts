/** The relay's replication slot: PostgreSQL retains the write-ahead log that the relay has not published yet. */
import { sql } from "kysely";
import pg from "pg";
import type { Db } from "../platform/db/connect.ts";
import { readLsn } from "./log-format.ts";

/** PostgreSQL 17 synchronizes such slots to standbys, so that the event log continues after a failover. */
const failoverVersion = 170_000;

export interface Slot {
  /** Everything before this position is published. Undefined if the slot cannot be used any more. */
  confirmed: bigint | undefined;
  /** Why PostgreSQL has invalidated the slot; undefined if it has not. */
  lost: string | undefined;
  /** The server process that serves the connection of the relay that holds the slot; undefined if none does. */
  pid: number | undefined;
  /** `reserved`, `extended`, `unreserved` or `lost`, as in pg_replication_slots. */
  walStatus: string;
  /** Write-ahead log that is not published yet, in bytes. */
  lagBytes: number;
  /** Write-ahead log that PostgreSQL keeps for the slot, in bytes. */
  retainedBytes: number;
  /** How much more may be written before the slot is lost; undefined without max_slot_wal_keep_size. */
  safeBytes: number | undefined;
  /** Whether standbys synchronize it; undefined before PostgreSQL 17. */
  isFailover: boolean | undefined;
}

/** Undefined if there is no slot. Works on a standby, too. */
export async function readSlot(db: Db, name: string): Promise<Slot | undefined> {
  // Read as JSON, because the columns depend on PostgreSQL's version.
  const { rows } = await sql<{
    confirmed: string | null;
    pid: number | null;
    wal_status: string | null;
    lag: number | null;
    retained: number | null;
    safe: number | null;
    failover: boolean | null;
    invalidation: string | null;
    max_kept: string;
  }>`
    with wal as (select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end as now)
    select confirmed_flush_lsn::text as confirmed, active_pid as pid, wal_status, safe_wal_size as safe,
      greatest(0, pg_wal_lsn_diff(wal.now, confirmed_flush_lsn))::bigint as lag,
      greatest(0, pg_wal_lsn_diff(wal.now, restart_lsn))::bigint as retained,
      (to_jsonb(s) ->> 'failover')::boolean as failover, to_jsonb(s) ->> 'invalidation_reason' as invalidation,
      current_setting('max_slot_wal_keep_size') as max_kept
    from pg_replication_slots s, wal where slot_name = ${name} and database = current_database()`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const isLost = row.wal_status === "lost";
  return {
    confirmed: isLost || row.confirmed === null ? undefined : readLsn(row.confirmed),
    lost: isLost ? describeLoss(row.invalidation ?? "wal_removed", row.max_kept) : undefined,
    pid: row.pid ?? undefined,
    walStatus: row.wal_status ?? "unknown",
    lagBytes: row.lag ?? 0,
    retainedBytes: row.retained ?? 0,
    safeBytes: row.safe ?? undefined,
    isFailover: row.failover ?? undefined,
  };
}

function describeLoss(invalidation: string, maxKept: string): string {
  if (invalidation === "wal_removed")
    return (
      "PostgreSQL removed write-ahead log that the relay had not read yet, because it exceeded max_slot_wal_keep_size " +
      `(${maxKept}). Keep relays running, and raise the setting if the disk has room`
    );
  return `PostgreSQL invalidated the replication slot (${invalidation})`;
}

/** Returns the position from which it sends transactions. */
export async function createSlot(db: Db, name: string): Promise<bigint> {
  const create = (await isAtLeast(db, failoverVersion))
    ? sql<{ lsn: string }>`
        select lsn::text as lsn from pg_create_logical_replication_slot(${name}, 'pgoutput', failover => true)`
    : sql<{ lsn: string }>`select lsn::text as lsn from pg_create_logical_replication_slot(${name}, 'pgoutput')`;
  const { rows } = await create.execute(db);
  return readLsn(rows[0]?.lsn ?? "0/0");
}

export async function dropSlot(db: Db, name: string): Promise<void> {
  await sql`select pg_drop_replication_slot(${name})`.execute(db);
}

/** Lets standbys synchronize a slot that was created without that; it must be free. Only a replication command can do it. */
export async function makeFailoverSlot(name: string, connection: { databaseUrl: string; name: string }): Promise<void> {
  const client = await openReplication(connection);
  try {
    await client.query(`ALTER_REPLICATION_SLOT ${pg.escapeIdentifier(name)} ( FAILOVER true )`);
  } finally {
    await client.end();
  }
}

/** A connection for replication commands. */
export async function openReplication(connection: { databaseUrl: string; name: string }): Promise<pg.Client> {
  // `replication` is not in the types.
  const client = new pg.Client({
    connectionString: connection.databaseUrl,
    application_name: connection.name,
    connectionTimeoutMillis: 10_000,
    replication: "database",
  } as pg.ClientConfig);
  client.on("error", () => undefined); // the next query fails with it
  await client.connect();
  return client;
}

async function isAtLeast(db: Db, version: number): Promise<boolean> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(db);
  return (rows[0]?.version ?? 0) >= version;
}
