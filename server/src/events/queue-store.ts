/** Where queues' records live: the database, so that any node can go on with any queue. */
import { sql } from "kysely";
import type { Db } from "../platform/db/connect.ts";
import type { Tx } from "../platform/db/transaction.ts";
import { prefix } from "./log-format.ts";
import type { QueueOptions } from "./queue.ts";

export interface QueueRecord {
  id: string;
  user_id: number;
  epoch: number;
  first_event_id: number;
  snapshot: string;
  options: QueueOptions;
  idle_seconds: number;
}

/** A queue lives a little longer than it must: its reads are written down late, and many at once. */
const lifeSeconds = (idleSeconds: number) => idleSeconds * 1.25 + 2;

export async function storeQueue(db: Db, realmId: number, record: QueueRecord): Promise<void> {
  await sql`
    insert into event_queues (id, realm_id, user_id, epoch, first_event_id, snapshot, options, idle_seconds, expires_at)
    values (${record.id}, ${realmId}, ${record.user_id}, ${record.epoch}, ${record.first_event_id}, ${record.snapshot},
      ${JSON.stringify(record.options)}, ${record.idle_seconds},
      now() + make_interval(secs => ${lifeSeconds(record.idle_seconds)}))`.execute(db);
}

export async function findQueue(db: Db, id: string): Promise<QueueRecord | undefined> {
  const { rows } = await sql<QueueRecord>`
    select id, user_id, epoch, first_event_id, snapshot, options, idle_seconds
    from event_queues where id = ${id} and expires_at > now()`.execute(db);
  return rows[0];
}

/** These queues are being read. */
export async function keepQueues(db: Db, queues: { id: string; idleSeconds: number }[]): Promise<void> {
  await sql`
    update event_queues q set expires_at = now() + make_interval(secs => kept.seconds)
    from unnest(${queues.map((queue) => queue.id)}::uuid[], ${queues.map((queue) => lifeSeconds(queue.idleSeconds))}::float8[])
      as kept (id, seconds)
    where q.id = kept.id`.execute(db);
}

/** Removes a user's queue and tells the nodes; false when there is none. */
export async function removeQueue(tx: Tx, realmId: number, userId: number, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from event_queues where id = ${id} and user_id = ${userId}
    returning pg_logical_emit_message(true, ${prefix}, '0' || chr(10) || json_build_object(
      'x', pg_current_xact_id()::text::bigint, 'r', ${realmId}::bigint, 'q', json_build_array(id))::text)`.execute(tx);
  return rows.length > 0;
}

export async function removeExpiredQueues(db: Db): Promise<number> {
  const result = await sql`
    delete from event_queues where id in (
      select id from event_queues where expires_at < now() order by expires_at limit 5000 for update skip locked)`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0);
}
