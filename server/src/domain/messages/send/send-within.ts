/**
 * Sends a message as part of a larger change: checked, composed, stored and emitted inside the caller's transaction.
 */
import type { TxContext } from "../../../context.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Channel } from "../../channels/access.ts";
import { clientIdWithin } from "../../base/clients.ts";
import { readTopic } from "../../channels/topics/name.ts";
import { noticeTopic } from "../../channels/topics/policy.ts";
import { compose, type SendOptions } from "./compose.ts";
import { accessMentions, mentionsAnybody } from "./mentions.ts";
import { directConversationWithin } from "./recipients.ts";
import { accessPartiesForSending, accessTopicForSending } from "./send-access.ts";
import { sendDirectAlone, sendToChannelAlone } from "./send-alone.ts";
import { findOrCreateTopic } from "../../channels/topics/find-or-create.ts";

export type Destination = { channelId: number; topic: string } | { userIds: number[] };

/** Throws the errors a send request would get, and StaleSession when the sender has changed meanwhile. */
export async function sendWithin(
  tx: Tx,
  ctx: TxContext,
  sender: User,
  { to, ...message }: SendOptions & { to: Destination; content: string },
): Promise<number> {
  const composed = await compose(ctx, tx, sender, message);
  const clientId = await clientIdWithin(tx, message.clientName);
  const mentionsIn = async (place: { channelId: number; topic: string } | undefined) =>
    mentionsAnybody(composed.rendered) ? accessMentions(tx, sender, composed.rendered, place) : undefined;
  if ("channelId" in to) {
    const { channel, topic } = await placeFor(tx, sender, to.channelId, readTopic(to.topic));
    await findOrCreateTopic(tx, channel, topic);
    const mentions = await mentionsIn({ channelId: channel.id, topic });
    const delivered = await sendToChannelAlone(tx, ctx, composed, { channel, topic }, { clientId, mentions });
    if (!delivered) throw new StaleSession();
    return delivered.id;
  }
  const conversation = await directConversationWithin(tx, sender, to.userIds);
  await accessPartiesForSending(tx, sender, conversation);
  const isToSelf = to.userIds.every((id) => id === sender.id);
  const mentions = await mentionsIn(undefined);
  const delivered = await sendDirectAlone(tx, ctx, composed, { conversation, isToSelf }, { clientId, mentions });
  if (!delivered) throw new StaleSession();
  return delivered.id;
}

/** The server's own bots may send to any channel. */
async function placeFor(tx: Tx, sender: User, id: number, topic: string): Promise<{ channel: Channel; topic: string }> {
  if (!sender.is_system_bot) return { channel: await accessTopicForSending(tx, sender, { id }, topic), topic };
  const channel = await tx
    .selectFrom("channels")
    .selectAll()
    .where("realm_id", "=", sender.realm_id)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return { channel, topic: noticeTopic(channel, topic) };
}
