/**
 * Deletes chosen messages for good, by the operator: everyone who could read them gets events, no copy is kept, and files
 * that no other message carries are removed with them. In transactions short enough not to block others.
 */
import { sql, type RawBuilder } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { inChunks } from "../../base/chunks.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import { removeAttachments } from "../../messages/uploads/remove.ts";
import { removeAndEmit, type RemovedTopic } from "../../messages/deletion/removal.ts";

/** All that is given must apply. */
export interface PurgeFilter {
  /** A channel or a direct conversation. */
  conversationId?: number;
  topicId?: number;
  senderId?: number;
  /** Sent at or after this time. */
  from?: Date;
  /** Sent before this time. */
  until?: Date;
  ids?: readonly number[];
}

function matches(realmId: number, filter: PurgeFilter): RawBuilder<boolean> {
  const { conversationId, topicId, senderId, from, until, ids } = filter;
  const conditions = [
    sql`m.realm_id = ${realmId}`,
    ...(conversationId === undefined ? [] : [sql`m.conversation_id = ${conversationId}`]),
    ...(topicId === undefined ? [] : [sql`m.topic_id = ${topicId}`]),
    ...(senderId === undefined ? [] : [sql`m.sender_id = ${senderId}`]),
    ...(from === undefined ? [] : [sql`m.date_sent >= ${from}`]),
    ...(until === undefined ? [] : [sql`m.date_sent < ${until}`]),
    ...(ids === undefined ? [] : [sql`m.id = any(${ids}::bigint[])`]),
  ];
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

export interface PurgeCounts {
  messages: number;
  conversations: number;
  oldest: Date | null;
  newest: Date | null;
}

export async function countMatching(db: Db, realmId: number, filter: PurgeFilter): Promise<PurgeCounts> {
  const { rows } = await sql<PurgeCounts>`
    select count(*) as messages, count(distinct m.conversation_id) as conversations, min(m.date_sent) as oldest,
      max(m.date_sent) as newest
    from messages m where ${matches(realmId, filter)}`.execute(db);
  return rows[0] ?? { messages: 0, conversations: 0, oldest: null, newest: null };
}

const foundAtOnce = 1000;
/** Per transaction. */
const removedAtOnce = 200;

export interface Purged {
  messages: number;
  files: number;
}

/** If it is interrupted, calling it again deletes the rest. */
export async function purgeMessages(
  db: Db,
  realmId: number,
  filter: PurgeFilter,
  onProgress: (sofar: Purged) => void = () => undefined,
): Promise<Purged> {
  const purged: Purged = { messages: 0, files: 0 };
  // From the oldest to the newest, so that matching messages sent meanwhile are purged, too.
  for (let after = 0; ;) {
    const { rows } = await sql<{ id: number; conversation_id: number }>`
      select m.id, m.conversation_id from messages m where ${matches(realmId, filter)} and m.id > ${after}
      order by m.id limit ${foundAtOnce}`.execute(db);
    const last = rows.at(-1);
    if (!last) return purged;
    for (const [conversationId, found] of Map.groupBy(rows, (row) => row.conversation_id)) {
      const ids = found.map(({ id }) => id);
      for (const some of inChunks(ids, removedAtOnce)) {
        const { messages, files } = await transaction(db, "purge messages", (tx) =>
          purgeSome(tx, realmId, conversationId, filter, some),
        );
        purged.messages += messages;
        purged.files += files;
        onProgress(purged);
      }
    }
    after = last.id;
  }
}

async function purgeSome(
  tx: Tx,
  realmId: number,
  conversationId: number,
  filter: PurgeFilter,
  ids: number[],
): Promise<Purged> {
  const at = await lockChannelsForSubscriptionChange(tx, [conversationId]);
  // Messages that were moved or deleted before the lock are left to another round, or alone.
  const { rows: topics } = await sql<RemovedTopic>`
    select ${sql.raw(spelledTopic)} as topic, array_agg(m.id order by m.id) as ids,
      json_agg(json_build_array(m.id, coalesce(m.origin_id, m.conversation_id), m.entered_at) order by m.id)
        filter (where m.entered_at is not null) as moved
    from messages m left join topics t on t.id = m.topic_id
    where m.id = any(${ids}::bigint[]) and m.conversation_id = ${conversationId} and ${matches(realmId, filter)}
    group by m.topic_id, ${sql.raw(spelledTopic)} order by m.topic_id`.execute(tx);
  const gone = topics.flatMap((topic) => topic.ids);
  const { rows: carried } = await sql<{ id: number }>`
    select distinct attachment_id as id from attachment_messages where message_id = any(${gone}::bigint[])`.execute(tx);
  const messages = await removeAndEmit(tx, realmId, conversationId, topics, at);
  await sql`delete from deleted_messages where realm_id = ${realmId} and id = any(${gone}::bigint[])`.execute(tx);
  const attachments = carried.map(({ id }) => id);
  const files = await removeAttachments(
    tx,
    realmId,
    sql`a.id = any(${attachments}::bigint[])
      and not exists (select from attachment_messages am where am.attachment_id = a.id)`,
  );
  return { messages, files };
}
