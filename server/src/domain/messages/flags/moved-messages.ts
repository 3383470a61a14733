/**
 * Messages that were moved to another channel. Who received and who has read them is still stored with the channel they
 * were sent to. So a user who leaves a channel keeps messages that were moved away from it unread, and messages that
 * were moved to it become read.
 */
import { sql, type RawBuilder } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";

/** SQL for the ids of messages that were sent to a channel and have been moved to another one. */
export const movedAwayFrom = (channel: string): RawBuilder<string> =>
  sql.raw(`coalesce((
    select range_agg(int8range(m.id, m.id + 1)) from messages m where m.origin_id = ${channel}), '{}')`);

/** Marks the messages that were moved to these channels as read: for the people who leave them, or for everybody. */
export async function markMovedAsRead(
  tx: Tx,
  channelIds: readonly number[],
  leavers?: readonly { user_id: number; channel_id: number }[],
): Promise<void> {
  const isConcerned = leavers
    ? sql`exists (
        select from unnest(${leavers.map((row) => row.user_id)}::bigint[], ${leavers.map((row) => row.channel_id)}::bigint[])
          as leaver (user_id, channel_id)
        where leaver.user_id = o.user_id and leaver.channel_id = came.channel_id)`
    : sql`true`;
  await sql`
    update subscriptions o set read = o.read + concerned.ids
    from (
      select o.user_id, o.channel_id, range_agg(came.ids) as ids
      from (
        select m.conversation_id as channel_id, m.origin_id, range_agg(int8range(m.id, m.id + 1)) as ids
        from messages m where m.conversation_id = any(${channelIds}::bigint[]) and m.entered_at is not null and m.origin_id is not null
        group by m.conversation_id, m.origin_id
      ) as came join subscriptions o on o.channel_id = came.origin_id
      where ${isConcerned}
      group by o.user_id, o.channel_id
    ) as concerned
    where o.user_id = concerned.user_id and o.channel_id = concerned.channel_id
      and not concerned.ids <@ o.read`.execute(tx);
}
