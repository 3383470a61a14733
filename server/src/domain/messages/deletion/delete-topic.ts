/** Deletes a whole topic in batches, newest messages first, for as long as a request may take. */
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { toBatch, type MessageBatch } from "../live-access.ts";
import { revoke } from "../../../events/revoke.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessReadableChannel, invalidChannelId, isAdministrator, type Channel } from "../../channels/access.ts";
import { refreshFirstMessages } from "../../channels/first-message.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";
import { historyOf } from "../edits/moved-messages.ts";
import { isInHistoryOf } from "../access.ts";
import { emitDeletion } from "../delete-event.ts";
import { readTopic } from "../../channels/topics/name.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import { removeMessages } from "./remove.ts";
import type { Caller } from "../../organization/audit/audited.ts";
import { byCaller, record } from "../../organization/audit/record.ts";

const batchSize = 100;
const maxMilliseconds = 50_000;

/** Returns whether the whole topic is deleted. */
export async function deleteTopic(
  ctx: Context,
  caller: Caller,
  channelId: number,
  topicName: string,
): Promise<boolean> {
  const { user } = caller;
  if (!isAdministrator(user)) throw new ApiError("Must be an organization administrator");
  const topic = readTopic(topicName);
  const startedAt = performance.now();
  let isRecorded = false;
  while (performance.now() - startedAt < maxMilliseconds) {
    const isFirst = !isRecorded;
    const removed = await revoke(ctx, "delete a part of a topic", async (tx) => {
      const count = await deletePart(tx, user, channelId, topic);
      // One entry for the request, with its first part.
      if (isFirst && count > 0)
        await record(tx, user.realm_id, byCaller(user, caller.request), {
          action: "topic.delete",
          target: { kind: "channel", id: channelId },
          before: { topic },
        });
      return count;
    });
    isRecorded ||= removed > 0;
    if (removed < batchSize) return true;
  }
  return false;
}

interface Batch {
  topic: string;
  ids: number[];
  moved: [number, number, number][] | null;
}

async function deletePart(tx: Tx, user: User, channelId: number, name: string): Promise<number> {
  await accessReadableChannel(tx, user, { id: channelId });
  const at = await lockChannelsForSubscriptionChange(tx, [channelId]);
  const channel = await accessReadableChannel(tx, user, { id: channelId });
  if (channel.is_archived) throw invalidChannelId();
  const batches = await findNewest(tx, user, channel, name);
  const removed = batches.flatMap((batch) => batch.ids);
  if (removed.length === 0) return 0;
  await removeMessages(tx, channel.realm_id, removed);
  for (const { topic, ids, moved } of batches) {
    const place = { channel: channel.id, at, history: historyOf(channel) };
    const messages: MessageBatch = { ...place, ids, ...(moved ? { moved } : {}) };
    emitDeletion(tx, channel.realm_id, toBatch(messages), { id: channel.id, topic }, { messages }, user.id);
  }
  await refreshFirstMessages(tx, [channel.id], at);
  return removed.length;
}

/** By the spelling of the topic. Where history is protected, only messages the user can read. */
async function findNewest(tx: Tx, user: User, channel: Channel, name: string): Promise<Batch[]> {
  const { rows } = await sql<Batch>`
    select newest.topic, array_agg(newest.id order by newest.id) as ids,
      json_agg(json_build_array(newest.id, newest.origin, newest.entered_at) order by newest.id)
        filter (where newest.entered_at is not null) as moved
    from topics t cross join lateral (
      select m.id, m.entered_at, coalesce(m.origin_id, m.conversation_id) as origin,
        ${sql.raw(spelledTopic)} as topic
      from messages m
      where m.topic_id = t.id and ${isInHistoryOf(channel, user)} order by m.id desc limit ${batchSize}
    ) as newest
    where t.channel_id = ${channel.id} and lower(t.name) = lower(${name})
    group by newest.topic`.execute(tx);
  return rows;
}
