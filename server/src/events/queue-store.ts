/** Stores the records of queues in the database, so that any node can serve any queue. */
import { sql } from "kysely";
import type { Db } from "../platform/db/connect.ts";
import type { Tx } from "../platform/db/transaction.ts";
import { prefix } from "./log-format.ts";
import type { QueueOptions } from "./queue.ts";
import type { Chore } from "../jobs/chore.ts";

export interface QueueRecord {
  id: string;
  user_id: number;
  epoch: number;
  first_event_id: number;
  snapshot: string;
  options: QueueOptions;
  idle_seconds: number;
}

/** A queue is kept a little longer than necessary, because its reads are recorded late and in batches. */
const lifeSeconds = (idleSeconds: number) => idleSeconds * 1.25 + 2;

/** The same in SQL, for a row of `event_queues`. */
export const lifeSecondsSql = sql<number>`(idle_seconds * 1.25 + 2)`;

export async function storeQueues(db: Db, realmId: number, records: QueueRecord[]): Promise<void> {
  await sql`
    insert into event_queues (id, realm_id, user_id, epoch, first_event_id, snapshot, options, idle_seconds, expires_at)
    select id, ${realmId}, user_id, epoch, first_event_id, snapshot, options, idle_seconds,
      now() + make_interval(secs => ${lifeSecondsSql})
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as queue (id uuid, user_id bigint, epoch bigint,
      first_event_id bigint, snapshot text, options jsonb, idle_seconds integer)`.execute(db);
}

export async function findQueues(db: Db, ids: string[]): Promise<Map<string, QueueRecord>> {
  const { rows } = await sql<QueueRecord>`
    select id, user_id, epoch, first_event_id, snapshot, options, idle_seconds
    from event_queues where id = any(${ids}::uuid[]) and expires_at > now()`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Records that these queues are being read, and that they begin after what their readers have acknowledged. */
export async function keepQueues(
  db: Db,
  queues: { id: string; idleSeconds: number; acknowledged: number }[],
): Promise<void> {
  await sql`
    update event_queues q
    set expires_at = now() + make_interval(secs => kept.seconds),
      first_event_id = greatest(q.first_event_id, kept.acknowledged)
    from unnest(${queues.map((queue) => queue.id)}::uuid[], ${queues.map((queue) => lifeSeconds(queue.idleSeconds))}::float8[],
      ${queues.map((queue) => queue.acknowledged)}::bigint[]) as kept (id, seconds, acknowledged)
    where q.id = kept.id`.execute(db);
}

/** SQL for a statement that deletes rows of `event_queues`: announces each removal to the nodes. */
export const announceRemoval = (realmId: number) => sql`
  pg_logical_emit_message(true, ${prefix}, '0' || chr(10) || json_build_object(
    'x', pg_current_xact_id()::text::bigint, 'r', ${realmId}::bigint, 'q', json_build_array(event_queues.id))::text)`;

/** Removes a user's queue and announces that to the nodes; false if there is none. */
export async function removeQueue(tx: Tx, realmId: number, userId: number, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from event_queues where id = ${id} and user_id = ${userId}
    returning ${announceRemoval(realmId)}`.execute(tx);
  return rows.length > 0;
}

/** Removes the queues that were registered with these API keys of a user, and announces that to the nodes. */
export async function removeQueuesOfKeys(
  tx: Tx,
  { id, realm_id }: { id: number; realm_id: number },
  keyIds: number[],
): Promise<void> {
  await sql`
    delete from event_queues where user_id = ${id} and (options->>'api_key_id')::bigint = any(${keyIds}::bigint[])
    returning ${announceRemoval(realm_id)}`.execute(tx);
}

/** Removes the queues of these users beyond the limit for each, least recently read first, and announces that to the nodes. */
export async function removeSurplusQueues(db: Db, realmId: number, userIds: number[], max: number): Promise<void> {
  await sql`
    with surplus as materialized (
      select q.id from unnest(${userIds}::bigint[]) as owner (id) cross join lateral (
        select id from event_queues where user_id = owner.id
        order by expires_at - make_interval(secs => ${lifeSecondsSql}) desc, id
        offset ${max} for update skip locked) as q)
    delete from event_queues using surplus where event_queues.id = surplus.id
    returning ${announceRemoval(realmId)}`.execute(db);
}

export const removeExpiredQueues: Chore = {
  name: "removing expired event queues",
  everyMilliseconds: 10_000,
  run: async ({ db, logger }) => {
    const result = await sql`
      delete from event_queues where id in (
        select id from event_queues where expires_at < now() order by expires_at limit 5000 for update skip locked)`.execute(
      db,
    );
    const removed = Number(result.numAffectedRows ?? 0);
    if (removed > 0) logger.debug({ removed }, "removed expired event queues");
  },
};
