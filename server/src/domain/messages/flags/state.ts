/** The unread and starred messages in the response to a registration. */
import { maxListedUnread, type UnreadMessages } from "@skein/api/flags.ts";
import { sql, type RawBuilder } from "kysely";
import type { StatePart } from "../../../events/state-part.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { shownTopic } from "../../channels/topics/name.ts";
import { isSilenced } from "../muted-users/silenced.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import { isUnmutedTopic } from "../../channels/user-topics/rules.ts";

/** The unread messages of a topic or a direct conversation. */
interface UnreadGroup {
  channel_id: number | null;
  is_unmuted: boolean;
  topic: string | null;
  /** The participants of a direct conversation, ascending, the reader included. */
  party_ids: number[] | null;
  ids: number[];
  mentions: number[];
}

/** Not the id itself: the text is the same for all users, so that its plan can be kept. */
const reader = { id: "(select id from reader)" };

/** Ids are scanned backwards from the newest, in windows of this width that double each time. */
const firstWindow = 100_000;

/**
 * Looks only at what can be unread: the ids received and not read, range by range, each found in the index of its
 * conversation. Keeps the newest of all, and one more, which shows whether there were others. If there are many more,
 * it first determines how far back these reach, so that the rest costs nothing. The reader's topic policies are looked
 * up once per topic, when few rows are left.
 */
export const unreadQuery = (user: User, limit: number): RawBuilder<UnreadGroup> => sql<UnreadGroup>`
    with recursive reader (id) as (select ${user.id}::bigint), places as materialized (
      select s.channel_id as key, s.active, s.is_muted, s.received, lower(stretch.ids) as low, coalesce(upper(stretch.ids), ${maxId}) as high
      from subscriptions s cross join lateral unnest(s.received - s.read) as stretch (ids)
      where s.user_id = ${user.id}
      union all
      select p.conversation_id, true, false, '{[0,)}', lower(stretch.ids), coalesce(upper(stretch.ids), ${maxId})
      from participations p cross join lateral unnest('{[0,)}'::int8multirange - p.read) as stretch (ids)
      where p.user_id = ${user.id}
    ), reach (low, high, width, seen) as (
      select case when ${areFewerThan(2 * limit)} then 0 else last_value + 1 end, ${maxId}, ${firstWindow}::bigint, 0::bigint
      from messages_id_seq
      union all
      select low - width, low, width * 2, seen + (
        select count(*) from (${unreadWithin(user, sql`reach.low - reach.width`, sql`reach.low`, limit)} limit ${sql.lit(limit)}) as counted)
      from reach where seen < ${limit} and low > 0
    ), newest as materialized (
      ${unreadWithin(user, sql`(select min(low) from reach)`, maxId, limit)} order by id desc limit ${sql.lit(limit)}
    ), grouped as (
      select n.conversation_id, n.topic_id, bool_or(n.is_muted) as is_muted,
        array_agg(n.id order by n.id) as ids,
        coalesce(array_agg(n.id order by n.id) filter (where f.mentioned), '{}') as personal,
        coalesce(array_agg(n.id order by n.id) filter (where f.mentioned
          or (n.topic_id is not null and (n.mentions_channel or f.topic_wildcard_mentioned))), '{}') as mentions
      from newest n left join message_flags f on f.user_id = ${user.id} and f.message_id = n.id
      group by n.conversation_id, n.topic_id
    ), with_policy as materialized (
      select g.*, ${sql.raw(isUnmutedTopic(reader, "g.topic_id", "g.is_muted"))} as is_unmuted from grouped g
    )
    select c.id as channel_id, g.is_unmuted, g.ids,
      -- A topic with several spellings is named as in its newest message.
      case when c.history_public_to_subscribers is not false then t.name else (
        select ${sql.raw(spelledTopic)} from messages m where m.id = g.ids[cardinality(g.ids)]) end as topic,
      case when g.is_unmuted then g.mentions else g.personal end as mentions,
      case when c.id is null then (
        select array_agg(p.user_id order by p.user_id) from participations p
        where p.conversation_id = g.conversation_id) end as party_ids
    from with_policy g left join channels c on c.id = g.conversation_id left join topics t on t.id = g.topic_id`;

/** Greater than every id. */
const maxId = sql`9223372036854775807::bigint`;

/** Whether `places` hold fewer messages than `count`, read or unread; needs only the index. */
const areFewerThan = (count: number): RawBuilder<unknown> => {
  const inPlace = (by: "conversation_id" | "origin_id") => {
    const key = sql.ref(`m.${by}`);
    return sql`select from places l cross join lateral (
        select from messages m where ${key} is not null and (${key}, m.id) >= (l.key, l.low) and (${key}, m.id) < (l.key, l.high)
        order by ${key} desc, m.id desc limit ${sql.lit(count)}) as m`;
  };
  return sql`(
        select count(*) from (${inPlace("conversation_id")} union all ${inPlace("origin_id")} limit ${sql.lit(count)}) as all_there
      ) < ${count}`;
};

/**
 * Unread messages of `places` from `low` up to, but excluding, `high`; moved messages count for the channel they are in
 * now. Each place gives its newest, at most `limit`, in the order of an index, so that PostgreSQL uses that index.
 */
function unreadWithin(
  user: User,
  low: RawBuilder<unknown>,
  high: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  const inPlace = (by: "conversation_id" | "origin_id", only: RawBuilder<unknown>) => {
    const key = sql.ref(`m.${by}`);
    return sql`
      select m.* from messages m
      where (${key}, m.id) >= (l.key, greatest(l.low, ${low})) and (${key}, m.id) < (l.key, least(l.high, ${high}))
        and not (m.sender_id = ${user.id} and m.read_by_sender) and not ${sql.raw(isSilenced(reader))}
        and ${only}
      order by ${key} desc, m.id desc limit ${sql.lit(limit)}`;
  };
  return sql`
    select m.id, m.conversation_id, m.topic_id, m.mentions_channel, l.is_muted
    from places l cross join lateral (${inPlace("conversation_id", sql`m.origin_id is null`)}) as m
    where l.active and (m.entered_at is null or m.entered_at <@ l.received)
    union all
    select m.id, m.conversation_id, m.topic_id, m.mentions_channel, now.is_muted
    from places l cross join lateral (${inPlace("origin_id", sql`m.origin_id is not null`)}) as m
      join subscriptions now on now.user_id = ${user.id} and now.channel_id = m.conversation_id and now.active
        and m.entered_at <@ now.received`;
}

export async function unreadMessages(
  db: Db,
  user: User,
  form: { empty_topic_name: boolean },
  limit = maxListedUnread,
): Promise<UnreadMessages> {
  const { rows: groups } = await unreadQuery(user, limit + 1).execute(db);
  const isCut = groups.reduce((sum, group) => sum + group.ids.length, 0) > limit;
  if (isCut) dropOldest(groups);
  const unread: UnreadMessages = {
    count: 0,
    pms: [],
    streams: [],
    huddles: [],
    mentions: groups.flatMap((group) => group.mentions).toSorted((a, b) => a - b),
    old_unreads_missing: isCut,
  };
  for (const { channel_id, topic, party_ids, is_unmuted, ids: unread_message_ids } of groups) {
    if (unread_message_ids.length === 0) continue;
    if (is_unmuted) unread.count += unread_message_ids.length;
    const parties = party_ids ?? [];
    if (channel_id !== null)
      unread.streams.push({ stream_id: channel_id, topic: shownTopic(topic ?? "", form), unread_message_ids });
    else if (parties.length > 2) unread.huddles.push({ user_ids_string: parties.join(","), unread_message_ids });
    else {
      const other = parties.find((id) => id !== user.id) ?? user.id;
      unread.pms.push({ other_user_id: other, sender_id: other, unread_message_ids });
    }
  }
  unread.pms.sort((a, b) => a.other_user_id - b.other_user_id);
  unread.streams.sort((a, b) => a.stream_id - b.stream_id || compare(a.topic, b.topic));
  unread.huddles.sort((a, b) => compare(a.user_ids_string, b.user_ids_string));
  return unread;
}

/** Ids ascend within each group, so the oldest of all is the first of one group. */
function dropOldest(groups: UnreadGroup[]): void {
  const [oldest] = groups.toSorted((a, b) => (a.ids[0] ?? 0) - (b.ids[0] ?? 0));
  const id = oldest?.ids.shift();
  if (oldest?.mentions[0] === id) oldest?.mentions.shift();
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const unreadState: StatePart = {
  types: ["update_message_flags", "message"],
  load: async (db, { user, options }) => ({ unread_msgs: await unreadMessages(db, user, options) }),
};

export const starredState: StatePart = {
  types: ["starred_messages"],
  load: async (db, { user }) => {
    const rows = await db
      .selectFrom("message_flags")
      .select("message_id")
      .where("user_id", "=", user.id)
      .where("realm_id", "=", user.realm_id)
      .where("starred", "=", true)
      .orderBy("message_id")
      .execute();
    return { starred_messages: rows.map((row) => row.message_id) };
  },
};
