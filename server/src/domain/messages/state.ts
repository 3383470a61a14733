/** The messages' part of registration: the newest message id and the recent direct conversations. */
import { maxRecentConversations } from "@skein/api/state/messages.ts";
import { sql, type RawBuilder } from "kysely";
import type { StatePart } from "../../events/state-part.ts";
import type { Db } from "../../platform/db/connect.ts";

/**
 * The newest message within a range of what a conversation `l` sent its readers. Comparing by (conversation, id) finds
 * it in one index step; scanning all messages in descending order could take very many.
 */
const newestBy = (column: "conversation_id" | "origin_id", condition: string): string => `
  select place.id from (
    select m.${column} as sent_to, m.id from messages m
    where (m.${column}, m.id) < (l.conversation_id, coalesce(upper(stretch.ids), 9223372036854775807)) and ${condition}
    order by m.${column} desc, m.id desc limit 1
  ) as place where place.sent_to = l.conversation_id and place.id >= lower(stretch.ids)`;

/** The newest message sent to the conversation, even if it was moved since. */
const newestSentTo = sql.raw(`
  cross join lateral unnest(l.received) as stretch (ids)
  cross join lateral (
    (${newestBy("conversation_id", "m.origin_id is null")})
    union all
    (${newestBy("origin_id", "m.origin_id is not null")})
  ) as m`);

export const messageState: StatePart = {
  types: ["message"],
  load: async (db, { user }) => ({ max_message_id: await newestReceivedId(db, user) }),
};

/** -1 when the user has never received a message. */
export async function newestReceivedId(db: Db, user: { id: number }): Promise<number> {
  const { rows } = await newestReceivedQuery(user).execute(db);
  return rows[0]?.id ?? -1;
}

/** A test checks that its plan is good for large organizations. */
export const newestReceivedQuery = (user: { id: number }): RawBuilder<{ id: number | null }> => sql`
  select max(m.id) as id
  from (
    select channel_id as conversation_id, received from subscriptions where user_id = ${user.id}
    union all
    select conversation_id, '{[0,)}' from participations where user_id = ${user.id}
  ) as l ${newestSentTo}`;

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
