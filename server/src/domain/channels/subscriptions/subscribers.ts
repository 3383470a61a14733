/** Who is subscribed to channels, as many of them as a client asks for. */
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

/** A channel's subscribers as a client asked for them; in a large channel perhaps only some. */
export type ListedSubscribers = { subscribers?: number[] } | { partial_subscribers: number[] };

/** Whether to list all subscribers, none, or in large channels only some. */
export type SubscriberChoice = boolean | "partial";

/** From this many on, clients that asked for some of the subscribers get those they are likely to need. */
const largeChannelSubscribers = 250;
const recentDays = 14;

export async function listChosenSubscribers(
  db: Db,
  channels: readonly { id: number }[],
  choice: SubscriberChoice,
): Promise<(channelId: number) => ListedSubscribers> {
  if (choice === false) return () => ({});
  if (choice === true) {
    const all = await listSubscribers(db, channels);
    return (id) => ({ subscribers: all.get(id) ?? [] });
  }
  const some = await listLikelySubscribers(db, channels);
  return (id) => some.get(id) ?? { subscribers: [] };
}

/**
 * All subscribers of small channels; of large ones bots, people who were active lately, and those who do not tell when
 * they are.
 */
async function listLikelySubscribers(
  db: Db,
  channels: readonly { id: number }[],
): Promise<Map<number, ListedSubscribers>> {
  const { rows } = await sql<{ channel_id: number; total: number; likely: number[] }>`
    with counted as materialized (
      select s.channel_id, count(*) as total from subscriptions s
      where s.channel_id = any(${channels.map((channel) => channel.id)}::bigint[]) and s.active
        and not exists (select from users u where u.id = s.user_id and not u.is_active)
      group by s.channel_id)
    select k.channel_id, k.total, coalesce(json_agg(s.user_id order by s.user_id) filter (
      where k.total < ${largeChannelSubscribers} or u.is_bot or not shows_presence(u)
        or p.last_connected_at > now() - make_interval(days => ${recentDays})), '[]') as likely
    from counted k
      join subscriptions s on s.channel_id = k.channel_id and s.active
      join users u on u.id = s.user_id and u.is_active
      left join presences p on p.user_id = s.user_id
    group by k.channel_id, k.total`.execute(db);
  return new Map(
    rows.map(({ channel_id, total, likely }) => [
      channel_id,
      total < largeChannelSubscribers ? { subscribers: likely } : { partial_subscribers: likely },
    ]),
  );
}

/** The active users subscribed to each channel, by id. */
export async function listSubscribers(db: Db, channels: readonly { id: number }[]): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ channel_id: number; user_ids: number[] }>`
    select s.channel_id, json_agg(s.user_id order by s.user_id) as user_ids from subscriptions s
    where s.channel_id = any(${channels.map((channel) => channel.id)}::bigint[]) and s.active
      and not exists (select from users u where u.id = s.user_id and not u.is_active)
    group by s.channel_id`.execute(db);
  return new Map(rows.map((row) => [row.channel_id, row.user_ids]));
}
