/** Removes many messages at once, and emits that to everybody who could read them. */
import { toUsers } from "../../../events/audience.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Channel } from "../../channels/access.ts";
import { refreshFirstMessages } from "../../channels/first-message.ts";
import { emitDeletion, emitDirectDeletion } from "../delete-event.ts";
import { historyOf } from "../edits/moved-messages.ts";
import { toBatch, type MessageBatch } from "../live-access.ts";
import { removeMessages } from "./remove.ts";

/** Messages of one topic, as their readers see its name. */
export interface RemovedTopic {
  /** Null in a direct conversation. */
  topic: string | null;
  ids: number[];
  /** Of those that were moved here: id, the channel it was sent to, and the newest id when it was moved. */
  moved: [number, number, number][] | null;
}

/**
 * The conversation must be locked; `at` is the result of its lock. `actor`, if somebody in particular deletes them, gets the
 * events of public channels even without a subscription. Returns how many messages were removed.
 */
export async function removeAndEmit(
  tx: Tx,
  realmId: number,
  conversationId: number,
  topics: RemovedTopic[],
  at: number,
  actor?: number,
): Promise<number> {
  const ids = topics.flatMap((row) => row.ids);
  if (ids.length === 0) return 0;
  await removeMessages(tx, realmId, ids);
  const channel = await tx.selectFrom("channels").selectAll().where("id", "=", conversationId).executeTakeFirst();
  if (channel) await emitToChannel(tx, channel, topics, at, actor);
  else await emitToParties(tx, realmId, conversationId, ids);
  return ids.length;
}

async function emitToChannel(
  tx: Tx,
  channel: Channel,
  topics: RemovedTopic[],
  at: number,
  actor: number | undefined,
): Promise<void> {
  const reader = channel.invite_only ? undefined : actor;
  for (const { topic, ids, moved } of topics) {
    if (topic === null) throw new Error("a channel's messages have topics");
    const place = { channel: channel.id, at, history: historyOf(channel) };
    const messages: MessageBatch = { ...place, ids, ...(moved ? { moved } : {}) };
    emitDeletion(tx, channel.realm_id, toBatch(messages), { id: channel.id, topic }, { messages }, reader);
  }
  await refreshFirstMessages(tx, [channel.id], at);
}

async function emitToParties(tx: Tx, realmId: number, conversationId: number, ids: number[]): Promise<void> {
  const parties = await tx
    .selectFrom("participations")
    .select("user_id")
    .where("conversation_id", "=", conversationId)
    .execute();
  const audience = toUsers(parties.map(({ user_id }) => user_id));
  for (const id of ids) emitDirectDeletion(tx, realmId, audience, id);
}
