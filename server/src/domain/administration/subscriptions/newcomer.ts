/** Subscribes a newcomer to their first channels and gives them the most recent messages there. */
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Channel } from "../../channels/access.ts";
import { addSubscribers } from "./add-subscribers.ts";

/** For all these channels together. */
const maxReceived = 1000;
const maxUnread = 20;

/** The channels must be locked; `boundary` is the result of the lock. */
export async function subscribeNewcomer(
  tx: Tx,
  user: { id: number; realm_id: number },
  boundary: number,
  channels: readonly Channel[],
): Promise<void> {
  await addSubscribers(tx, user.realm_id, boundary, channels, [user.id]);
  const shared = channels.filter((channel) => channel.history_public_to_subscribers).map((channel) => channel.id);
  if (shared.length > 0) await openRecentHistory(tx, user.id, boundary, shared);
}

/** Marks the newest messages as received, and all but the last few of them as read. */
async function openRecentHistory(tx: Tx, userId: number, boundary: number, channelIds: number[]): Promise<void> {
  await sql`
    with newest as materialized (
      select m.id from unnest(${channelIds}::bigint[]) as c (id) cross join lateral (
        select m.id from messages m where m.conversation_id = c.id
        order by m.conversation_id desc, m.id desc limit ${maxReceived}) as m
      order by m.id desc limit ${maxReceived}
    ), found as (
      select min(id) as first, (select min(id) from (select id from newest order by id desc limit ${maxUnread}) as last) as unread
      from newest
    )
    update subscriptions s
    set received = received + int8multirange(int8range(found.first, ${boundary})),
      read = read + int8multirange(int8range(found.first, found.unread))
    from found where found.first is not null and s.user_id = ${userId} and s.channel_id = any(${channelIds}::bigint[])`.execute(
    tx,
  );
}
