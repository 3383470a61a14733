/**
 * Messages are kept as long as their channel says, or the organization where it says nothing; direct messages as long as
 * the organization says. What is older is deleted, in steps that are short enough to disturb nobody, the oldest first.
 * Whoever has the messages is told, so that what a client holds stays what a fresh registration would say.
 */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { toUsers } from "../../events/audience.ts";
import { toBatch, type MessageBatch } from "../../events/live-users.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import type { Channel } from "../channels/access.ts";
import { refreshFirstMessages } from "../channels/first-message.ts";
import { lockChannelsForSubscriptionChange } from "../channels/lock.ts";
import { removeMessages } from "../deletion/remove.ts";
import { historyOf } from "../edits/moved-messages.ts";
import { emitDeletion, emitDirectDeletion } from "../messages/delete-event.ts";

const atOnce = 200;

/** How many messages of the organization were deleted. */
export async function expireMessages(ctx: Context, realmId: number): Promise<number> {
  let total = 0;
  for (let place = await nextExpired(ctx, realmId, 0); place; place = await nextExpired(ctx, realmId, place)) {
    const removed = await expireConversation(ctx, realmId, place);
    total += removed;
    ctx.logger.info({ realm: realmId, conversation: place, removed }, "removed messages that were kept long enough");
  }
  return total;
}

async function expireConversation(ctx: Context, realmId: number, id: number): Promise<number> {
  for (let total = 0; ;) {
    const removed = await transaction(ctx.db, "remove expired messages", (tx) => expireSome(tx, realmId, id));
    total += removed;
    if (removed < atOnce) return total;
    ctx.logger.debug({ realm: realmId, conversation: id, removed: total }, "removing messages");
  }
}

/** SQL: for how many days the messages of `conversation` are kept; null or less than 1 is for ever. */
const daysKept = sql.raw(`case when c.id is null then r.message_retention_days
  else coalesce(c.message_retention_days, r.message_retention_days) end`);

/** Messages get their ids in the order they are sent, so the oldest tells whether any is old enough. */
const isExpired = sql`oldest.date_sent < now() - make_interval(days => ${daysKept})`;

/** The next conversation of the organization that holds something too old. */
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

interface Expired {
  /** Null in a direct conversation. */
  topic: string | null;
  ids: number[];
  moved: [number, number, number][] | null;
}

async function expireSome(tx: Tx, realmId: number, conversationId: number): Promise<number> {
  const at = await lockChannelsForSubscriptionChange(tx, [conversationId]);
  const { rows } = await sql<Expired>`
    select t.name as topic, array_agg(oldest.id order by oldest.id) as ids,
      json_agg(json_build_array(oldest.id, oldest.origin, oldest.entered_at) order by oldest.id)
        filter (where oldest.entered_at is not null) as moved
    from realms r left join channels c on c.id = ${conversationId}
      cross join lateral (
        select m.id, m.date_sent, m.topic_id, m.entered_at, coalesce(m.origin_id, m.conversation_id) as origin
        from messages m where m.conversation_id = ${conversationId} order by m.id limit ${atOnce}
      ) as oldest
      left join topics t on t.id = oldest.topic_id
    where r.id = ${realmId} and ${daysKept} > 0 and ${isExpired}
    group by t.id, t.name order by t.id`.execute(tx);
  const ids = rows.flatMap((row) => row.ids);
  if (ids.length === 0) return 0;
  await removeMessages(tx, realmId, ids);
  const channel = await tx.selectFrom("channels").selectAll().where("id", "=", conversationId).executeTakeFirst();
  if (channel) await tellChannel(tx, channel, rows, at);
  else await tellParties(tx, realmId, conversationId, ids);
  return ids.length;
}

async function tellChannel(tx: Tx, channel: Channel, expired: Expired[], at: number): Promise<void> {
  for (const { topic, ids, moved } of expired) {
    if (topic === null) throw new Error("a channel's messages have topics");
    const place = { channel: channel.id, at, history: historyOf(channel) };
    const messages: MessageBatch = { ...place, ids, ...(moved ? { moved } : {}) };
    emitDeletion(tx, channel.realm_id, toBatch(messages), { id: channel.id, topic }, { messages });
  }
  await refreshFirstMessages(tx, [channel.id], at);
}

async function tellParties(tx: Tx, realmId: number, conversationId: number, ids: number[]): Promise<void> {
  const parties = await tx
    .selectFrom("participations")
    .select("user_id")
    .where("conversation_id", "=", conversationId)
    .execute();
  const audience = toUsers(parties.map(({ user_id }) => user_id));
  for (const id of ids) emitDirectDeletion(tx, realmId, audience, id);
}
