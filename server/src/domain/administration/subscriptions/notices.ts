/**
 * The notification bot notifies users whom somebody else has subscribed to an existing channel. The transaction that
 * subscribes them stores the notices, and a job sends and deletes them.
 */
import { maxNewSubscriptionMessages } from "@skein/api/subscriptions.ts";
import { sql } from "kysely";
import { z } from "zod";
import type { TxContext } from "../../../context.ts";
import type { User } from "../../../identity/account.ts";
import { enqueue, job } from "../../../jobs/job.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { channelLink, silentMention } from "../../base/mention-syntax.ts";
import { sendNotice } from "../../messages/send/notice.ts";
import type { AddedSubscription } from "./add-subscribers.ts";
import type { Principal } from "../../channels/subscriptions/access.ts";

interface Recipient {
  user_id: number;
  channel_ids: number[];
}

/** Returns false if there are too many people to notify. */
export async function enqueueNotices(
  tx: Tx,
  actor: User,
  principals: readonly Principal[],
  added: readonly AddedSubscription[],
): Promise<boolean> {
  const people = new Set(principals.filter(({ id, is_bot }) => id !== actor.id && !is_bot).map(({ id }) => id));
  const byUser = Map.groupBy(
    added.filter((row) => people.has(row.user_id)),
    (row) => row.user_id,
  );
  if (byUser.size > maxNewSubscriptionMessages) return false;
  if (byUser.size === 0) return true;
  const recipients: Recipient[] = [...byUser].map(([user_id, rows]) => ({
    user_id,
    channel_ids: rows.map((row) => row.channel_id),
  }));
  const { id } = await tx
    .insertInto("subscription_notices")
    .values({ realm_id: actor.realm_id, actor_id: actor.id, people: JSON.stringify(recipients) })
    .returning("id")
    .executeTakeFirstOrThrow();
  await enqueue(tx, sendSubscriptionNotices, { id });
  return true;
}

export const sendSubscriptionNotices = job({
  name: "send subscription notices",
  payload: z.strictObject({ id: z.int() }),
  run: (ctx, { id }) => transaction(ctx.db, "send subscription notices", (tx) => send(tx, ctx, id)),
});

interface Notice {
  realm_id: number;
  host: string | null;
  actor_id: number;
  actor_name: string;
  user_id: number;
  channels: string[];
}

async function send(tx: Tx, ctx: TxContext, id: number): Promise<void> {
  // Only users who are still active, and only channels they are still subscribed to.
  const { rows } = await sql<Notice>`
    with taken as (delete from subscription_notices where id = ${id} returning *)
    select n.realm_id, r.host, actor.id as actor_id, actor.full_name as actor_name, u.id as user_id,
      array_agg(c.name order by lower(c.name)) as channels
    from taken n join realms r on r.id = n.realm_id join users actor on actor.id = n.actor_id
      cross join lateral jsonb_to_recordset(n.people) as told (user_id bigint, channel_ids bigint[])
      join users u on u.id = told.user_id and u.is_active
      join subscriptions s on s.user_id = u.id and s.channel_id = any(told.channel_ids) and s.active
      join channels c on c.id = s.channel_id
    group by n.realm_id, r.host, actor.id, actor.full_name, u.id order by u.id`.execute(tx);
  for (const { realm_id, host, user_id, ...notice } of rows)
    await sendNotice(tx, ctx, { id: realm_id, host }, "notification-bot", { userIds: [user_id] }, noticeText(notice));
}

function noticeText({ actor_id, actor_name, channels }: Pick<Notice, "actor_id" | "actor_name" | "channels">): string {
  const actor = silentMention({ id: actor_id, full_name: actor_name });
  const links = channels.map((name) => channelLink({ name }));
  return links.length === 1
    ? `${actor} subscribed you to ${links.join()}.`
    : `${actor} subscribed you to these channels:\n\n${links.map((link) => `* ${link}`).join("\n")}`;
}
