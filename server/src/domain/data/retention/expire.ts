/**
 * Messages are kept for the retention period of their channel, or of the organization if the channel has none or the message
 * is direct. Older messages are deleted, the oldest first, in transactions short enough not to block others. Each deletion
 * emits events, so that clients' state matches that of a fresh registration.
 */
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import { removeAndEmit, type RemovedTopic } from "../../messages/deletion/removal.ts";

const atOnce = 200;

/** Returns how many messages of the organization were deleted. */
export async function expireMessages(ctx: Context, realmId: number): Promise<number> {
  let total = 0;
  for (let next = await nextExpired(ctx, realmId, 0); next; next = await nextExpired(ctx, realmId, next)) {
    const removed = await expireConversation(ctx, realmId, next);
    total += removed;
    ctx.logger.info({ realm_id: realmId, conversation_id: next, removed }, "removed expired messages");
  }
  return total;
}

async function expireConversation(ctx: Context, realmId: number, id: number): Promise<number> {
  for (let total = 0; ;) {
    const removed = await transaction(ctx.db, "remove expired messages", (tx) => expireSome(tx, realmId, id));
    total += removed;
    if (removed < atOnce) return total;
    ctx.logger.debug({ realm_id: realmId, conversation_id: id, removed: total }, "removing expired messages");
  }
}

/** SQL: for how many days the messages of `conversation` are kept; null or less than 1 means forever. */
const daysKept = sql.raw(`case when c.id is null then r.message_retention_days
  else coalesce(c.message_retention_days, r.message_retention_days) end`);

/** Messages get their IDs in the order they are sent, so checking the oldest one is enough. */
const isExpired = sql`oldest.date_sent < now() - make_interval(days => ${daysKept})`;

/** The next conversation of the organization that contains an expired message. */
async function nextExpired({ db }: Context, realmId: number, after: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select conversation.id from conversations conversation
      join realms r on r.id = conversation.realm_id
      left join channels c on c.id = conversation.id
      cross join lateral (
        select m.date_sent from messages m where m.conversation_id = conversation.id order by m.id limit 1
      ) as oldest
    where conversation.realm_id = ${realmId} and conversation.id > ${after} and ${daysKept} > 0 and ${isExpired}
    order by conversation.id limit 1`.execute(db);
  return rows[0]?.id;
}

async function expireSome(tx: Tx, realmId: number, conversationId: number): Promise<number> {
  const at = await lockChannelsForSubscriptionChange(tx, [conversationId]);
  const { rows } = await sql<RemovedTopic>`
    select oldest.topic, array_agg(oldest.id order by oldest.id) as ids,
      json_agg(json_build_array(oldest.id, oldest.origin, oldest.entered_at) order by oldest.id)
        filter (where oldest.entered_at is not null) as moved
    from realms r left join channels c on c.id = ${conversationId}
      cross join lateral (
        select m.id, m.date_sent, m.topic_id, m.entered_at, coalesce(m.origin_id, m.conversation_id) as origin,
          ${sql.raw(spelledTopic)} as topic
        from messages m left join topics t on t.id = m.topic_id where m.conversation_id = ${conversationId} order by m.id limit ${atOnce}
      ) as oldest
    where r.id = ${realmId} and ${daysKept} > 0 and ${isExpired}
    group by oldest.topic_id, oldest.topic order by oldest.topic_id, oldest.topic`.execute(tx);
  return removeAndEmit(tx, realmId, conversationId, rows, at);
}
