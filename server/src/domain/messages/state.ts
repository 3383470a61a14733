/** What registration tells of messages: how far they go, and with whom one has written. */
import { maxRecentConversations } from "@skein/api/messages.ts";
import { sql } from "kysely";
import type { StatePart } from "../../events/state-part.ts";
import type { Db } from "../../platform/db/connect.ts";

/** Of what was sent there, wherever it stands now. */
const newestSentTo = sql.raw(`
  cross join lateral unnest(l.received) as stretch (ids)
  cross join lateral (
    (select m.id from messages m
      where m.conversation_id = l.conversation_id and m.origin_id is null
        and m.id >= lower(stretch.ids) and m.id < coalesce(upper(stretch.ids), 9223372036854775807)
      order by m.id desc limit 1)
    union all
    (select m.id from messages m where m.origin_id = l.conversation_id and m.id <@ stretch.ids order by m.id desc limit 1)
  ) as m`);

export const messageState: StatePart = {
  types: ["message"],
  load: async (db, { user }) => ({ max_message_id: await newestReceivedId(db, user) }),
};

/** -1 when nothing was ever received. */
export async function newestReceivedId(db: Db, user: { id: number }): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`
    select max(m.id) as id
    from (
      select channel_id as conversation_id, received from subscriptions where user_id = ${user.id}
      union all
      select conversation_id, '{[0,)}' from participations where user_id = ${user.id}
    ) as l ${newestSentTo}`.execute(db);
  return rows[0]?.id ?? -1;
}

export const recentConversationState: StatePart = {
  types: ["recent_private_conversations"],
  load: async (db, { user }) => {
    const { rows } = await sql<{ user_ids: number[] | null; max_message_id: number }>`
      with recent as (
        select c.id as conversation_id, greatest(newest.id, c.newest_deleted_id) as max_message_id
        from participations p join conversations c on c.id = p.conversation_id
          left join lateral (
            select m.id from messages m where m.conversation_id = c.id order by m.id desc limit 1) as newest on true
        where p.user_id = ${user.id} and (newest.id is not null or c.newest_deleted_id is not null)
        order by max_message_id desc limit ${maxRecentConversations}
      )
      select r.max_message_id, (
        select array_agg(p.user_id order by p.user_id) from participations p
        where p.conversation_id = r.conversation_id and p.user_id <> ${user.id}) as user_ids
      from recent r order by r.max_message_id desc`.execute(db);
    return {
      recent_private_conversations: rows.map(({ user_ids, max_message_id }) => ({
        user_ids: user_ids ?? [],
        max_message_id,
      })),
    };
  },
};
