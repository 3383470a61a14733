/** Users newly mentioned by an edit: the notification rule is applied to the message again for each of them. */
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";

export interface Revisit {
  message_id: number;
  user_id: number;
}

/** Must run before the flags of the channel message change to these mentions. */
export async function revisitMentioned(
  tx: Tx,
  message: { id: number; realm_id: number },
  userIds: readonly number[],
): Promise<void> {
  await sql`
    insert into notification_revisits (message_id, user_id, realm_id)
    select ${message.id}::bigint, mentioned.id, ${message.realm_id}::bigint
    from unnest(${userIds}::bigint[]) as mentioned (id)
    where not exists (
      select from message_flags f where f.user_id = mentioned.id and f.message_id = ${message.id} and f.mentioned)
    on conflict do nothing`.execute(tx);
}

/** Removes and returns the next ones. */
export async function takeRevisits(tx: Tx, limit: number): Promise<Revisit[]> {
  const { rows } = await sql<Revisit>`
    delete from notification_revisits where (message_id, user_id) in (
      select message_id, user_id from notification_revisits order by message_id, user_id limit ${limit})
    returning message_id, user_id`.execute(tx);
  return rows;
}
