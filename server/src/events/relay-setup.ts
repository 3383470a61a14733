/** Stream and slot are there and belong together; otherwise a new epoch of the log begins. */
import { sql } from "kysely";
import type { Config } from "../config.ts";
import type { Db } from "../platform/db/connect.ts";
import type { Logger } from "../platform/log.ts";
import { beginEpoch, findStream, type LogConnection, type LogNames } from "./stream.ts";

/** Relays that start at once do this one after the other. */
const setUpLock = 7_303_014_230;

/** Gives the epoch. */
export async function setUpLog(
  { config, db, logger }: { config: Config; db: Db; logger: Logger },
  { manager }: LogConnection,
  names: LogNames,
  signal: AbortSignal,
): Promise<number> {
  return untilAborted(db, signal, async (connection) => {
    await sql`select pg_advisory_lock(${setUpLock})`.execute(connection);
    try {
      const hadSlot = await findOrMakeSlot(connection, names.slot);
      const stream = await findStream(manager, names);
      const isShort = stream !== undefined && stream.lastSequence < (await confirmedSequence(connection, stream.epoch));
      if (hadSlot && stream && !isShort) return stream.epoch;
      // Begun anew rather than continued: a stream that lost its end would give the same ids to other events.
      if (stream) await manager.streams.delete(names.stream);
      const epoch = await beginEpoch(connection, manager, config, names);
      // The first is no news; a later one means that clients register again.
      const level = epoch === 1 ? "info" : "warn";
      logger[level](
        { epoch, hadSlot, hadStream: stream !== undefined, isShort },
        "a new epoch of the event log begins",
      );
      return epoch;
    } finally {
      await sql`select pg_advisory_unlock(${setUpLock})`.execute(connection);
    }
  });
}

/**
 * Work on one connection, which is ended when the signal comes, whatever it waits for: another relay, or, before a slot
 * is made, the end of every transaction that has written.
 */
async function untilAborted<T>(db: Db, signal: AbortSignal, work: (connection: Db) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
    let ending: Promise<unknown> | undefined;
    const end = () => {
      ending = sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(db).catch(() => undefined);
    };
    signal.throwIfAborted();
    signal.addEventListener("abort", end, { once: true });
    try {
      return await work(connection);
    } finally {
      signal.removeEventListener("abort", end);
      await ending; // or it would hit whoever is given the connection next
    }
  });
}

/** Whether it was there. A slot that fell too far behind is of no use any more. */
async function findOrMakeSlot(db: Db, slot: string): Promise<boolean> {
  const { rows } = await sql<{ wal_status: string | null }>`
    select wal_status from pg_replication_slots where slot_name = ${slot} and database = current_database()`.execute(
    db,
  );
  const isLost = rows[0]?.wal_status === "lost";
  if (rows.length > 0 && !isLost) return true;
  if (isLost) await dropSlot(db, slot);
  await sql`select pg_create_logical_replication_slot(${slot}, 'pgoutput')`.execute(db);
  return false;
}

export async function dropSlot(db: Db, slot: string): Promise<void> {
  await sql`select pg_drop_replication_slot(${slot})`.execute(db);
}

async function confirmedSequence(db: Db, epoch: number): Promise<number> {
  const row = await db
    .selectFrom("event_log")
    .select("confirmed_sequence")
    .where("epoch", "=", epoch)
    .executeTakeFirst();
  return row?.confirmed_sequence ?? 0;
}
