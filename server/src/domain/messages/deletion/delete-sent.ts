/** Deletes what an account has sent, by an administrator who deactivates it. In transactions short enough not to block others. */
import { sql, type RawBuilder } from "kysely";
import { z } from "zod";
import type { Context } from "../../../context.ts";
import { enqueueAll, job } from "../../../jobs/job.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import { removeAndEmit, type RemovedTopic } from "./removal.ts";

const payload = z.strictObject({
  realmId: z.int(),
  senderId: z.int(),
  /** Who deletes them. */
  actorId: z.int(),
  /** The newest of them; what the account sends after it was reactivated stays. */
  until: z.int(),
  publicChannels: z.boolean(),
  privateChannels: z.boolean(),
  directMessages: z.boolean(),
});
type Sent = z.output<typeof payload>;

const atOnce = 200;

export const deleteSentMessages = job({
  name: "delete sent messages",
  payload,
  run: async (ctx, sent) => {
    const removed = await deleteAll(ctx, sent);
    const { realmId: realm_id, senderId: user_id } = sent;
    ctx.logger.info({ realm_id, user_id, removed }, "deleted the messages of a deactivated account");
  },
});

export type SentBy = Omit<Sent, "senderId" | "until">;

/** Has a worker delete what these accounts have sent so far. */
export async function planDeletion(tx: Tx, senderIds: readonly number[], how: SentBy): Promise<void> {
  const { rows } = await sql<{ senderId: number; until: number }>`
    select sender.id as "senderId", newest.id as until
    from unnest(${senderIds}::bigint[]) as sender (id)
      cross join lateral (select m.id from messages m where m.sender_id = sender.id order by m.id desc limit 1) as newest`.execute(
    tx,
  );
  await enqueueAll(
    tx,
    deleteSentMessages,
    rows.map((sent) => ({ ...how, ...sent })),
  );
}

/** SQL: whether the message `m`, of the channel `c` if it is of one, is to be deleted. */
const isMeant = (sent: Sent): RawBuilder<boolean> => sql`(
  m.realm_id = ${sent.realmId} and m.sender_id = ${sent.senderId} and m.id <= ${sent.until}
  and case when c.id is null then ${sent.directMessages}::boolean when c.invite_only then ${sent.privateChannels}::boolean
    else ${sent.publicChannels}::boolean end)`;

async function deleteAll({ db }: Context, sent: Sent): Promise<number> {
  for (let after = 0, removed = 0; ;) {
    const { rows } = await sql<{ id: number; conversation_id: number }>`
      select m.id, m.conversation_id from messages m left join channels c on c.id = m.conversation_id
      where ${isMeant(sent)} and m.id > ${after} order by m.id limit ${atOnce}`.execute(db);
    const last = rows.at(-1);
    if (!last) return removed;
    for (const [conversationId, found] of Map.groupBy(rows, (row) => row.conversation_id)) {
      const ids = found.map(({ id }) => id);
      removed += await transaction(db, "delete sent messages", (tx) => deleteSome(tx, sent, conversationId, ids));
    }
    after = last.id;
  }
}

async function deleteSome(tx: Tx, sent: Sent, conversationId: number, ids: number[]): Promise<number> {
  const at = await lockChannelsForSubscriptionChange(tx, [conversationId]);
  // Messages that were moved or deleted before the lock are left alone.
  const { rows: topics } = await sql<RemovedTopic>`
    select ${sql.raw(spelledTopic)} as topic, array_agg(m.id order by m.id) as ids,
      json_agg(json_build_array(m.id, coalesce(m.origin_id, m.conversation_id), m.entered_at) order by m.id)
        filter (where m.entered_at is not null) as moved
    from messages m left join topics t on t.id = m.topic_id left join channels c on c.id = m.conversation_id
    where m.id = any(${ids}::bigint[]) and m.conversation_id = ${conversationId} and ${isMeant(sent)}
    group by m.topic_id, ${sql.raw(spelledTopic)} order by m.topic_id`.execute(tx);
  return removeAndEmit(tx, sent.realmId, conversationId, topics, at, sent.actorId);
}
