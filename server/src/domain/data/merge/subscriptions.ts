/**
 * Unites the subscriptions. The other account's own settings win.
 *
 * A message is unread afterwards if it was unread for one of the accounts that received it. If both received it, it is read
 * if either had read it: a person who has read a message has read it, whichever account they used.
 */
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";
import { readerJoins } from "../../messages/access.ts";
import { isRead } from "../../messages/flags/rules.ts";
import type { Pair } from "./pair.ts";

/** Returns how many there were. */
export async function uniteSubscriptions(tx: Tx, { from, into, realmId }: Pair): Promise<number> {
  const { rows } = await sql<{ channel_id: number }>`
    select channel_id from subscriptions where user_id = ${from.id}`.execute(tx);
  if (rows.length === 0) return 0;
  const channels = rows.map(({ channel_id }) => channel_id);
  await lockChannelsForSubscriptionChange(tx, channels);
  await sql`select from subscriptions where user_id in (${from.id}, ${into.id}) order by user_id, channel_id
    for update`.execute(tx);
  const read = await readMovedMessages(tx, { from, into, realmId });
  // What a former subscriber received counts as read, unless the other account received it as well.
  await sql`
    insert into subscriptions as s (user_id, channel_id, realm_id, active, received, read, color, is_muted, pin_to_top,
      desktop_notifications, audible_notifications, push_notifications, email_notifications, wildcard_mentions_notify)
    select ${into.id}, channel_id, realm_id, active, received, read, color, is_muted, pin_to_top,
      desktop_notifications, audible_notifications, push_notifications, email_notifications, wildcard_mentions_notify
    from subscriptions where user_id = ${from.id} order by channel_id
    on conflict (user_id, channel_id) do update set active = s.active or excluded.active,
      received = s.received + excluded.received,
      read = s.read * s.received + excluded.read * excluded.received + case
        when s.active and not excluded.active then excluded.received - s.received
        when excluded.active and not s.active then s.received - excluded.received
        else '{}' end`.execute(tx);
  await sql`delete from subscriptions where user_id = ${from.id}`.execute(tx);
  for (const { origin_id, ids } of read)
    await sql`update subscriptions set read = read + ${ids}::int8multirange
      where user_id = ${into.id} and channel_id = ${origin_id}`.execute(tx);
  return rows.length;
}

/**
 * Messages that were moved from one channel to another can be unread only for subscribers of both. The united account is,
 * even if neither of the two was; such messages stay read.
 */
async function readMovedMessages(tx: Tx, { from, into, realmId }: Pair): Promise<{ origin_id: number; ids: string }[]> {
  const isReadBy = (id: number) => {
    const reader = { id: String(id), rank: "0" }; // our own number, safe to put into the SQL text
    return sql`exists (select from messages m ${sql.raw(readerJoins(reader))}
      where m.id = moved.id and ${sql.raw(isRead(reader))})`;
  };
  const { rows } = await sql<{ origin_id: number; ids: string }>`
    select moved.origin_id, range_agg(int8range(moved.id, moved.id + 1))::text as ids
    from subscriptions s join messages moved on moved.origin_id = s.channel_id
    where s.user_id = ${from.id} and s.realm_id = ${realmId} and ${isReadBy(from.id)} and ${isReadBy(into.id)}
    group by moved.origin_id`.execute(tx);
  return rows;
}
