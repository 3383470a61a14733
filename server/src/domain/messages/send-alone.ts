/**
 * Sends that take a transaction of their own: those that mention somebody, and those that change the channel itself and
 * are noticed by everybody who sees it: its first message, and the first after a long silence.
 */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { emit } from "../../events/emit.ts";
import type { User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import type { Channel } from "../channels/access.ts";
import { metadataAudiences } from "../channels/audience.ts";
import type { Mentions } from "./mentions.ts";
import type { OutgoingDirect, OutgoingToChannel } from "./send-statements.ts";
import { sendDirectInTransaction, sendInTransaction } from "./sender.ts";

/** A topic is there from the first message sent to it on. */
export async function makeTopic(db: Db, channel: Channel, name: string): Promise<void> {
  await sql`
    insert into topics (realm_id, channel_id, name) values (${channel.realm_id}, ${channel.id}, ${name})
    on conflict do nothing`.execute(db);
}

/** Whether everybody who sees the channel hears that it has changed by the message. */
export const isNoticed = (channel: Channel): boolean =>
  channel.first_message_id === null || !channel.is_recently_active;

/** Undefined when somebody else was faster, or the message may no longer be sent: then it is judged anew. */
export async function sendAlone(
  ctx: Context,
  user: User,
  channel: Channel,
  item: OutgoingToChannel,
  mentions: Mentions | undefined,
): Promise<number | undefined> {
  return transaction(ctx.db, "send message alone", async (tx) => {
    const before = isNoticed(channel) ? await lockChannel(tx, channel) : channel;
    if (!before.is_recently_active)
      await tx.updateTable("channels").set({ is_recently_active: true }).where("id", "=", channel.id).execute();
    const id = await sendInTransaction(tx, user.realm, item);
    if (id === undefined) return undefined;
    if (isNoticed(before)) await notice(tx, before, id);
    if (mentions) await storeMentions(tx, "subscriptions", channel, id, mentions);
    return id;
  });
}

/** Who may write to whom has been judged. */
export async function sendDirectAlone(
  ctx: Context,
  user: User,
  item: OutgoingDirect,
  mentions: Mentions | undefined,
): Promise<number | undefined> {
  return transaction(ctx.db, "send direct message alone", async (tx) => {
    const id = await sendDirectInTransaction(tx, ctx.config, user.realm, item);
    const conversation = { id: item.conversationId, realm_id: user.realm_id };
    if (id !== undefined && mentions) await storeMentions(tx, "participations", conversation, id, mentions);
    return id;
  });
}

const lockChannel = (tx: Tx, { id, realm_id }: Channel): Promise<Channel> =>
  tx
    .selectFrom("channels")
    .selectAll()
    .where("realm_id", "=", realm_id)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirstOrThrow();

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

/** Only those who receive the message have flags on it: a mention lets nobody in. */
async function storeMentions(
  tx: Tx,
  receivers: "subscriptions" | "participations",
  conversation: { id: number; realm_id: number },
  messageId: number,
  { users, channel, participants }: Mentions,
): Promise<void> {
  const place = sql.raw(receivers === "subscriptions" ? "active and channel_id" : "conversation_id");
  await sql`
    insert into message_flags (user_id, message_id, realm_id, mentioned, topic_wildcard_mentioned)
    select user_id, ${messageId}, ${conversation.realm_id}, user_id = any(${users}::bigint[]),
      user_id = any(${participants}::bigint[])
    from ${sql.table(receivers)} where ${place} = ${conversation.id}
      and user_id = any(${[...users, ...participants]}::bigint[])`.execute(tx);
  if (channel) await tx.updateTable("messages").set({ mentions_channel: true }).where("id", "=", messageId).execute();
}
