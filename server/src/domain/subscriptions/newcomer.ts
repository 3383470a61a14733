/** Somebody who has just got an account is put into the channels they start in, and finds what was last said there. */
import { sql } from "kysely";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Channel } from "../channels/access.ts";
import { addSubscribers } from "./add-subscribers.ts";

/** Of all these channels together. */
const messagesFound = 1000;
const messagesUnread = 20;

/** The channels are locked for it, and `boundary` is what the lock gave. */
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

/** The newest messages count as received, as if the account had been there, and all but the last as read. */
async function openRecentHistory(tx: Tx, userId: number, boundary: number, channelIds: number[]): Promise<void> {
  await sql`
    with newest as materialized (
      select m.id from unnest(${channelIds}::bigint[]) as c (id) cross join lateral (
        select m.id from messages m where m.conversation_id = c.id
        order by m.conversation_id desc, m.id desc limit ${messagesFound}) as m
      order by m.id desc limit ${messagesFound}
    ), found as (
      select min(id) as first, (select min(id) from (select id from newest order by id desc limit ${messagesUnread}) as last) as unread
      from newest
    )
    update subscriptions s
    set received = received + int8multirange(int8range(found.first, ${boundary})),
      read = read + int8multirange(int8range(found.first, found.unread))
    from found where found.first is not null and s.user_id = ${userId} and s.channel_id = any(${channelIds}::bigint[])`.execute(
    tx,
  );
}
