/** A whole topic is deleted in parts, the newest messages first, as far as a request may take. */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { toBatch, type MessageBatch } from "../../events/live-users.ts";
import { revoke } from "../../events/revoke.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { accessReadableChannel, invalidChannelId, isAdministrator, type Channel } from "../channels/access.ts";
import { refreshFirstMessages } from "../channels/first-message.ts";
import { lockChannelsForSubscriptionChange } from "../channels/lock.ts";
import { historyOf } from "../edits/moved-messages.ts";
import { emitDeletion } from "../messages/delete-event.ts";
import { readTopic } from "../topics/name.ts";
import { removeMessages } from "./remove.ts";

const atOnce = 100;
const longestMilliseconds = 50_000;

/** Whether all of it is gone. */
export async function deleteTopic(ctx: Context, user: User, channelId: number, topicName: string): Promise<boolean> {
  if (!isAdministrator(user)) throw new ApiError("Must be an organization administrator");
  const topic = readTopic(topicName);
  const begun = performance.now();
  while (performance.now() - begun < longestMilliseconds) {
    const removed = await revoke(ctx, "delete a part of a topic", (tx) => deletePart(tx, user, channelId, topic));
    if (removed < atOnce) return true;
  }
  return false;
}

interface Found {
  topic: string;
  ids: number[];
  moved: [number, number, number][] | null;
}

async function deletePart(tx: Tx, user: User, channelId: number, name: string): Promise<number> {
  await accessReadableChannel(tx, user, { id: channelId });
  const at = await lockChannelsForSubscriptionChange(tx, [channelId]);
  const channel = await accessReadableChannel(tx, user, { id: channelId });
  if (channel.is_archived) throw invalidChannelId();
  const found = await findNewest(tx, user, channel, name);
  if (!found) return 0;
  const messages: MessageBatch = {
    channel: channel.id,
    at,
    history: historyOf(channel),
    ids: found.ids,
    ...(found.moved ? { moved: found.moved } : {}),
  };
  await removeMessages(tx, channel.realm_id, found.ids);
  const place = { id: channel.id, topic: found.topic };
  emitDeletion(tx, channel.realm_id, toBatch(messages), place, { messages }, user.id);
  await refreshFirstMessages(tx, [channel.id], at);
  return found.ids.length;
}

/** Where history is protected, of what the user can read. */
async function findNewest(tx: Tx, user: User, channel: Channel, name: string): Promise<Found | undefined> {
  const isRead = channel.history_public_to_subscribers
    ? sql`true`
    : sql`coalesce(m.entered_at, m.id) <@ (
        select received from subscriptions where user_id = ${user.id} and channel_id = ${channel.id})`;
  const { rows } = await sql<Found>`
    select t.name as topic, array_agg(newest.id order by newest.id) as ids,
      json_agg(json_build_array(newest.id, newest.origin, newest.entered_at) order by newest.id)
        filter (where newest.entered_at is not null) as moved
    from topics t cross join lateral (
      select m.id, m.entered_at, coalesce(m.origin_id, m.conversation_id) as origin from messages m
      where m.topic_id = t.id and ${isRead} order by m.id desc limit ${atOnce}
    ) as newest
    where t.channel_id = ${channel.id} and lower(t.name) = lower(${name})
    group by t.name`.execute(tx);
  return rows[0];
}
