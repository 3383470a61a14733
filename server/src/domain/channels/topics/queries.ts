import { sql, type RawBuilder } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { Channel } from "../access.ts";
import { spelledTopic } from "./spelling.ts";

export interface Topic {
  name: string;
  /** The newest message the reader has access to. */
  max_id: number;
}

/** The topics of a channel this user may read, the most recently used first. */
export async function listTopics(db: Db, user: { id: number }, channel: Channel): Promise<Topic[]> {
  const { rows } = await topicsQuery(user, channel).execute(db);
  return rows;
}

export function topicsQuery(user: { id: number }, channel: Channel): RawBuilder<Topic> {
  // A topic with several spellings is named as in its newest message.
  const name = channel.history_public_to_subscribers
    ? sql`t.name`
    : sql`(select ${sql.raw(spelledTopic)} from messages m where m.id = newest.id)`;
  return sql<Topic>`
    select ${name} as name, newest.id as max_id
    from topics t cross join lateral (${newestReadable(user, channel)}) newest
    where t.realm_id = ${channel.realm_id} and t.channel_id = ${channel.id}
    order by newest.id desc`;
}

/**
 * The newest message of topic `t` that the user can read; no row if there is none. One index lookup finds it, however
 * many messages there are. Where history is protected, it is the newest message within the ranges the user received,
 * including messages moved there in that time.
 */
export const newestReadable = (
  user: { id: number | RawBuilder<number> },
  channel: Pick<Channel, "history_public_to_subscribers">,
): RawBuilder<{ id: number }> =>
  channel.history_public_to_subscribers
    ? newestUpTo(sql`${greatestId}::bigint`)
    : sql`
        select max(readable.id) as id
        from subscriptions s cross join lateral (
          select sent.id from unnest(s.received) as stretch (ids)
            cross join lateral (
              ${newestUpTo(sql`coalesce(upper(stretch.ids) - 1, ${greatestId}::bigint)`, sql`m.entered_at is null`)}) sent
          where sent.id >= lower(stretch.ids)
          union all
          select m.id from messages m
          where m.conversation_id = t.channel_id and m.topic_id = t.id and m.entered_at is not null
            and m.entered_at <@ s.received
        ) readable
        where s.user_id = ${user.id} and s.channel_id = t.channel_id
        having count(*) > 0`;

const greatestId = "9223372036854775807";

/**
 * The newest message of topic `t` up to this id. The row comparison makes it a single index lookup; a filter on the topic
 * with a descending order might scan many messages of other topics first.
 */
const newestUpTo = (id: RawBuilder<unknown>, condition = sql`true`): RawBuilder<{ id: number }> => sql`
  select place.id from (
    select m.topic_id, m.id from messages m
    where m.topic_id is not null and (m.topic_id, m.id) <= (t.id, ${id}) and ${condition}
    order by m.topic_id desc, m.id desc limit 1
  ) place where place.topic_id = t.id`;
