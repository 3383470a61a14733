import { sql, type RawBuilder } from "kysely";
import type { Db } from "../../platform/db/connect.ts";
import type { Channel } from "../channels/access.ts";

export interface Topic {
  name: string;
  /** The newest message the reader has access to. */
  max_id: number;
}

/** The topics of a channel this user may read, the one last written to first. */
export async function listTopics(db: Db, user: { id: number }, channel: Channel): Promise<Topic[]> {
  const { rows } = await topicsQuery(user, channel).execute(db);
  return rows;
}

/**
 * For each topic the index of topics gives its newest message; how many there are does not matter. Where history is
 * protected, the newest of each stretch the user received, and of what was moved there meanwhile.
 */
export function topicsQuery(user: { id: number }, channel: Channel): RawBuilder<Topic> {
  const newest = channel.history_public_to_subscribers
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
  return sql<Topic>`
    select t.name, newest.id as max_id
    from topics t cross join lateral (${newest}) newest
    where t.realm_id = ${channel.realm_id} and t.channel_id = ${channel.id}
    order by newest.id desc`;
}

const greatestId = "9223372036854775807";

/**
 * The newest message of topic `t` whose id is not above this. Asked for as a place in the index, which is one step away;
 * asked for as the first of all messages in descending order that is in the topic, it may be far down.
 */
const newestUpTo = (id: RawBuilder<unknown>, condition = sql`true`): RawBuilder<unknown> => sql`
  select place.id from (
    select m.topic_id, m.id from messages m
    where m.topic_id is not null and (m.topic_id, m.id) <= (t.id, ${id}) and ${condition}
    order by m.topic_id desc, m.id desc limit 1
  ) place where place.topic_id = t.id`;
