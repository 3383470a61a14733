/** A whole send as part of a larger change: judged, composed, stored and told inside the caller's transaction. */
import type { Context } from "../../context.ts";
import { StaleSession, type User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Channel } from "../channels/access.ts";
import { clientIdWithin } from "../clients/clients.ts";
import { normalizeTopic } from "../topics/name.ts";
import { compose, type Manner } from "./compose.ts";
import { accessMentions, mentionsAnybody } from "./mentions.ts";
import { directConversationWithin } from "./recipients.ts";
import { accessChannelForSending, accessPartiesForSending } from "./send-access.ts";
import { makeTopic, sendDirectAlone, sendToChannelAlone } from "./send-alone.ts";

export type Destination = { channelId: number; topic: string } | { userIds: number[] };

/** Throws what the sender of a request would be told; StaleSession when the sender changed meanwhile. */
export async function sendWithin(
  tx: Tx,
  ctx: Context,
  sender: User,
  { to, ...message }: Manner & { to: Destination; content: string },
): Promise<number> {
  const composed = await compose(ctx, tx, sender, message);
  const clientId = await clientIdWithin(tx, message.clientName);
  const mentionsIn = async (place: { channelId: number; topic: string } | undefined) =>
    mentionsAnybody(composed.rendered) ? accessMentions(tx, sender, composed.rendered, place) : undefined;
  if ("channelId" in to) {
    const channel = await channelFor(tx, sender, to.channelId);
    const topic = normalizeTopic(sender.realm, to.topic);
    await makeTopic(tx, channel, topic);
    const mentions = await mentionsIn({ channelId: channel.id, topic });
    const delivered = await sendToChannelAlone(tx, ctx, composed, { channel, topic }, { clientId, mentions });
    if (!delivered) throw new StaleSession();
    return delivered.id;
  }
  const conversationId = await directConversationWithin(tx, sender, to.userIds);
  await accessPartiesForSending(tx, sender, conversationId);
  const isToSelf = to.userIds.every((id) => id === sender.id);
  const mentions = await mentionsIn(undefined);
  const delivered = await sendDirectAlone(tx, ctx, composed, { conversationId, isToSelf }, { clientId, mentions });
  if (!delivered) throw new StaleSession();
  return delivered.id;
}

/** The server's own bots speak anywhere. */
async function channelFor(tx: Tx, sender: User, id: number): Promise<Channel> {
  if (!sender.is_system_bot) return accessChannelForSending(tx, sender, { id });
  return tx
    .selectFrom("channels")
    .selectAll()
    .where("realm_id", "=", sender.realm_id)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
}
