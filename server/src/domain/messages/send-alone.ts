/**
 * Sends that take a transaction of their own: those with consequences, and those that change the channel itself and are
 * noticed by everybody who sees it: its first message, and the first after a long silence. That the message may be sent
 * has been judged, in the same request, for this message; whether that still holds, the statement looks for itself.
 */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { emit } from "../../events/emit.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Channel } from "../channels/access.ts";
import { metadataAudiences } from "../channels/audience.ts";
import { outgoing, type Composed } from "./compose.ts";
import type { Outcome } from "./consequence.ts";
import { applyConsequences } from "./consequences.ts";
import type { Mentions } from "./mentions.ts";
import { sendDirectInTransaction, sendInTransaction } from "./sender.ts";

/** A topic is there from the first message sent to it on. */
export async function makeTopic(db: Db, channel: Channel, name: string): Promise<void> {
  await sql`
    insert into topics (realm_id, channel_id, name) values (${channel.realm_id}, ${channel.id}, ${name})
    on conflict do nothing`.execute(db);
}

export type Delivered = Outcome & { id: number };

/** Undefined when somebody else was faster, or the message may no longer be sent: then it is judged anew. */
export async function sendToChannelAlone(
  tx: Tx,
  ctx: Context,
  composed: Composed,
  to: { channel: Channel; topic: string },
  { clientId, mentions }: { clientId: number; mentions: Mentions | undefined },
): Promise<Delivered | undefined> {
  const { sender, rendered } = composed;
  const channel = isNoticed(to.channel) ? await lockChannel(tx, to.channel) : to.channel;
  if (!channel.is_recently_active)
    await tx.updateTable("channels").set({ is_recently_active: true }).where("id", "=", channel.id).execute();
  const place = await findTopic(tx, channel, to.topic);
  if (!place) return undefined;
  const item = {
    ...outgoing(ctx, composed, { clientId, mentions, isToSelf: false, topic: to.topic }),
    channelId: channel.id,
    channelName: undefined,
    topic: to.topic,
  };
  const id = await sendInTransaction(tx, sender.realm, item, sender.is_system_bot, rendered.mentionedUserIds);
  if (id === undefined) return undefined;
  if (isNoticed(channel)) await notice(tx, channel, id);
  return { id, ...(await applyConsequences(tx, ctx, { ...composed, id, mentions, place })) };
}

export async function sendDirectAlone(
  tx: Tx,
  ctx: Context,
  composed: Composed,
  to: { conversationId: number; isToSelf: boolean },
  { clientId, mentions }: { clientId: number; mentions: Mentions | undefined },
): Promise<Delivered | undefined> {
  const { sender } = composed;
  const { conversationId, isToSelf } = to;
  const item = { ...outgoing(ctx, composed, { clientId, mentions, isToSelf }), conversationId };
  const id = await sendDirectInTransaction(tx, ctx.config, sender.realm, item);
  if (id === undefined) return undefined;
  return { id, ...(await applyConsequences(tx, ctx, { ...composed, id, mentions, place: { conversationId } })) };
}

/** Whether everybody who sees the channel hears that it has changed by the message. */
const isNoticed = (channel: Channel): boolean => channel.first_message_id === null || !channel.is_recently_active;

const lockChannel = (tx: Tx, { id, realm_id }: Channel): Promise<Channel> =>
  tx
    .selectFrom("channels")
    .selectAll()
    .where("realm_id", "=", realm_id)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirstOrThrow();

async function findTopic(tx: Tx, channel: Channel, name: string) {
  const { rows } = await sql<{ id: number; name: string; is_new: boolean }>`
    select t.id, t.name, not exists (select from messages m where m.topic_id = t.id) as is_new
    from topics t where t.channel_id = ${channel.id} and lower(t.name) = lower(${name})`.execute(tx);
  const [topic] = rows;
  return topic && { channel, topicId: topic.id, topic: topic.name, isNewTopic: topic.is_new };
}

async function notice(tx: Tx, before: Channel, messageId: number): Promise<void> {
  const audiences = (await metadataAudiences(tx, [before], messageId))(before);
  const tell = (property: string, value: unknown) => {
    const event = { type: "stream", op: "update", stream_id: before.id, name: before.name, property, value };
    for (const audience of audiences) emit(tx, before.realm_id, audience, event);
  };
  if (!before.is_recently_active) tell("is_recently_active", true);
  if (before.first_message_id !== null) return;
  await tx.updateTable("channels").set({ first_message_id: messageId }).where("id", "=", before.id).execute();
  tell("first_message_id", messageId);
}
