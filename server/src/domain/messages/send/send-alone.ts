/**
 * Sends a message in a transaction of its own. This is needed for messages with consequences, and for those that change
 * the channel itself, which everybody who sees the channel is notified of: its first message, and the first after a
 * long silence. The same request has already checked that the message may be sent; the statement checks that this still
 * holds.
 */
import { sql } from "kysely";
import type { TxContext } from "../../../context.ts";
import { emit } from "../../../events/emit.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Channel } from "../../channels/access.ts";
import type { User } from "../../../identity/account.ts";
import { newestReadable } from "../../channels/topics/queries.ts";
import { spellingIn } from "../../channels/topics/spelling.ts";
import { guestsNotSeeing } from "../../people/users/guest-view.ts";
import { metadataAudiences } from "../../channels/audience.ts";
import { outgoing, type Composed } from "./compose.ts";
import type { Outcome } from "./consequence.ts";
import type { Mentions } from "./mentions.ts";
import type { DirectConversation } from "./recipients.ts";
import { sendDirectInTransaction, sendInTransaction } from "./sender.ts";

export type SendResult = Outcome & { id: number };

/**
 * Returns undefined when another request was faster, or when the message may no longer be sent. The caller then checks
 * again, perhaps in the same transaction, so nothing may be written before the message is.
 */
export async function sendToChannelAlone(
  tx: Tx,
  ctx: TxContext,
  composed: Composed,
  to: { channel: Channel; topic: string },
  { clientId, mentions }: { clientId: number; mentions: Mentions | undefined },
): Promise<SendResult | undefined> {
  const { sender, rendered } = composed;
  const channel = willChangeChannel(to.channel) ? await lockChannel(tx, to.channel) : to.channel;
  const found = await findTopic(tx, sender, channel, to.topic);
  if (!found) return undefined;
  const { hiddenFrom, ...place } = found;
  const item = {
    ...outgoing(ctx, composed, { clientId, mentions, isToSelf: false, topic: to.topic, hiddenFrom }),
    channelId: channel.id,
    channelName: undefined,
    topic: to.topic,
  };
  const id = await sendInTransaction(tx, sender.realm, item, {
    isTrusted: sender.is_system_bot,
    changesChannel: willChangeChannel(channel),
    named: rendered.mentionedUserIds,
  });
  if (id === undefined) return undefined;
  if (willChangeChannel(channel)) await updateChannel(tx, channel, id);
  return { id, ...(await ctx.consequences.apply(tx, ctx, { ...composed, id, mentions, place })) };
}

export async function sendDirectAlone(
  tx: Tx,
  ctx: TxContext,
  composed: Composed,
  to: { conversation: DirectConversation; isToSelf: boolean },
  { clientId, mentions }: { clientId: number; mentions: Mentions | undefined },
): Promise<SendResult | undefined> {
  const { sender } = composed;
  const { conversation, isToSelf } = to;
  const item = { ...outgoing(ctx, composed, { clientId, mentions, isToSelf }), conversation };
  const id = await sendDirectInTransaction(tx, ctx.config, sender.realm, item);
  if (id === undefined) return undefined;
  const place = { conversationId: conversation.id };
  return { id, ...(await ctx.consequences.apply(tx, ctx, { ...composed, id, mentions, place })) };
}

/** Whether the message changes the channel's own properties, so that an event has to be emitted. */
const willChangeChannel = (channel: Channel): boolean =>
  channel.first_message_id === null || !channel.is_recently_active;

const lockChannel = (tx: Tx, { id, realm_id }: Channel): Promise<Channel> =>
  tx
    .selectFrom("channels")
    .selectAll()
    .where("realm_id", "=", realm_id)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirstOrThrow();

async function findTopic(tx: Tx, sender: User, channel: Channel, name: string) {
  const { rows } = await sql<{ id: number; name: string; is_new: boolean; hidden_from: number[] | null }>`
    select t.id, t.name, not exists (${newestReadable(sender, channel)}) as is_new,
      ${guestsNotSeeing(channel.realm_id, sender, channel.id)} as hidden_from
    from topics t where t.channel_id = ${channel.id} and lower(t.name) = lower(${name})`.execute(tx);
  const [topic] = rows;
  return (
    topic && {
      channel,
      topicId: topic.id,
      topic: spellingIn(channel, topic, name),
      isNewTopic: topic.is_new,
      hiddenFrom: topic.hidden_from,
    }
  );
}

async function updateChannel(tx: Tx, before: Channel, messageId: number): Promise<void> {
  const audiences = (await metadataAudiences(tx, [before], messageId))(before);
  const emitUpdate = (property: string, value: unknown) => {
    const event = { type: "stream", op: "update", stream_id: before.id, name: before.name, property, value };
    for (const audience of audiences) emit(tx, before.realm_id, audience, event);
  };
  await tx
    .updateTable("channels")
    .set({ is_recently_active: true, first_message_id: before.first_message_id ?? messageId })
    .where("id", "=", before.id)
    .execute();
  if (!before.is_recently_active) emitUpdate("is_recently_active", true);
  if (before.first_message_id === null) emitUpdate("first_message_id", messageId);
}
