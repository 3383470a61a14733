/**
 * Whoever is subscribed by somebody else to a channel that was there before is told of it by the notification bot. The
 * notices are noted by the transaction that subscribes and sent by a job, which takes the note as it sends them.
 */
import { sql } from "kysely";
import { z } from "zod";
import type { Context } from "../../context.ts";
import type { User } from "../../http/sessions.ts";
import { enqueue, job } from "../../jobs/job.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { channelLink, silentMention } from "../channels/notices.ts";
import { sendNotice } from "../messages/notice.ts";
import type { Added } from "./add-subscribers.ts";
import type { Principal } from "./principals.ts";

/** Where more people are subscribed at once, they are a crowd, and none of them is told. */
const maxTold = 100;

interface Told {
  user_id: number;
  channel_ids: number[];
}

export async function tellSubscribed(
  tx: Tx,
  actor: User,
  principals: readonly Principal[],
  added: readonly Added[],
): Promise<void> {
  const people = new Set(principals.filter(({ id, is_bot }) => id !== actor.id && !is_bot).map(({ id }) => id));
  const byUser = Map.groupBy(
    added.filter((row) => people.has(row.user_id)),
    (row) => row.user_id,
  );
  if (byUser.size === 0 || byUser.size > maxTold) return;
  const told: Told[] = [...byUser].map(([user_id, rows]) => ({
    user_id,
    channel_ids: rows.map((row) => row.channel_id),
  }));
  const { id } = await tx
    .insertInto("subscription_notices")
    .values({ realm_id: actor.realm_id, actor_id: actor.id, people: JSON.stringify(told) })
    .returning("id")
    .executeTakeFirstOrThrow();
  await enqueue(tx, sendSubscriptionNotices, { id });
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

async function send(tx: Tx, ctx: Context, id: number): Promise<void> {
  // Only those who are still here, and of the channels those they are still in.
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
    await sendNotice(tx, ctx, { id: realm_id, host }, "notification-bot", { userIds: [user_id] }, inWords(notice));
}

function inWords({ actor_id, actor_name, channels }: Pick<Notice, "actor_id" | "actor_name" | "channels">): string {
  const who = silentMention({ id: actor_id, full_name: actor_name });
  const links = channels.map((name) => channelLink({ name }));
  return links.length === 1
    ? `${who} subscribed you to ${links.join()}.`
    : `${who} subscribed you to these channels:\n\n${links.map((link) => `* ${link}`).join("\n")}`;
}
