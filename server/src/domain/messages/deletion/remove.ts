import { sql } from "kysely";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { prepareOwnerEvents } from "../uploads/claims.ts";

/**
 * Deletes messages for every reader. A copy is kept for a while, with everything attached to them. Owners of files in
 * these messages get an event that the messages no longer carry them, and reminders of them are gone.
 */
export async function removeMessages(tx: Tx, realmId: number, ids: readonly number[]): Promise<void> {
  const partsOf = (table: string) =>
    sql.raw(`(select coalesce(jsonb_agg(to_jsonb(part)), '[]') from ${table} part where part.message_id = m.id)`);
  const { rows: kept } = await sql<{ has_files: boolean }>`
    insert into deleted_messages (id, realm_id, message)
    select m.id, m.realm_id, to_jsonb(m) || jsonb_build_object('flags', ${partsOf("message_flags")},
      'reactions', ${partsOf("reactions")}, 'edits', ${partsOf("message_edits")},
      'submessages', ${partsOf("submessages")}, 'attachments', ${partsOf("attachment_messages")})
    from messages m where m.realm_id = ${realmId} and m.id = any(${ids}::bigint[])
    returning message->'attachments' <> '[]' as has_files`.execute(tx);
  const emitToOwners = kept.some((message) => message.has_files)
    ? await prepareOwnerEvents(tx, realmId, ids)
    : undefined;
  const { rows: reminders } = await sql<{ id: number; user_id: number }>`
    with gone as (
      delete from messages where realm_id = ${realmId} and id = any(${ids}::bigint[]) returning id, conversation_id, topic_id
    ), marked as (
      update conversations c set newest_deleted_id = greatest(c.newest_deleted_id, newest.id)
      from (select conversation_id, max(id) as id from gone where topic_id is null group by conversation_id) as newest
      where c.id = newest.conversation_id
    )
    delete from reminders where realm_id = ${realmId} and message_id = any(${ids}::bigint[]) returning id, user_id`.execute(
    tx,
  );
  for (const { id: reminder_id, user_id } of reminders)
    emit(tx, realmId, toUser(user_id), { type: "reminders", op: "remove", reminder_id });
  await emitToOwners?.();
}
