/**
 * Messages to an outgoing webhook bot are delivered to its service: direct messages it receives, and messages that mention
 * it by name in a channel it can read. Messages of bots are not, because two bots could reply to each other forever.
 */
import { botTypes } from "@skein/api/bots.ts";
import { sql } from "kysely";
import { enqueueAll } from "../../../jobs/job.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isReadable, readerJoins } from "../../messages/access.ts";
import type { Consequence, DirectPlace, SentMessage } from "../../messages/send/consequence.ts";
import { webhookDelivery } from "./delivery.ts";

export const outgoingWebhooks: Consequence = {
  // Direct messages to such a bot are never batched: see sendDirect.
  isDue: ({ sender, rendered }) => !sender.is_bot && rendered.mentionedUserIds.length > 0,

  apply: async (tx, _ctx, sent) => {
    if (sent.sender.is_bot) return;
    const { place } = sent;
    const isChannel = "channel" in place;
    const botIds = isChannel ? await mentionedBots(tx, sent) : await botsTakingPart(tx, place);
    if (botIds.length === 0) return;
    await sql`
      insert into webhook_deliveries (message_id, bot_id, realm_id)
      select ${sent.id}, bot, ${sent.sender.realm_id} from unnest(${botIds}::bigint[]) as bot`.execute(tx);
    const trigger = isChannel ? ("mention" as const) : ("direct_message" as const);
    await enqueueAll(
      tx,
      webhookDelivery,
      botIds.map((bot_id) => ({ message_id: sent.id, bot_id, trigger })),
    );
  },
};

async function mentionedBots(tx: Tx, { id, sender, rendered }: SentMessage): Promise<number[]> {
  if (rendered.mentionedUserIds.length === 0) return [];
  const bot = { id: "bot.id", rank: `rank_of(bot.role, bot.date_joined, ${sender.realm.waiting_period_threshold})` };
  const { rows } = await sql<{ id: number }>`
    select bot.id from messages m
      join users bot on bot.id = any(${rendered.mentionedUserIds}::bigint[]) and bot.realm_id = m.realm_id
        and bot.bot_type = ${botTypes.outgoingWebhook} and bot.is_active
      ${sql.raw(readerJoins(bot))}
    where m.id = ${id} and ${sql.raw(isReadable(bot))}`.execute(tx);
  return rows.map((row) => row.id);
}

async function botsTakingPart(tx: Tx, { conversationId }: DirectPlace): Promise<number[]> {
  const rows = await tx
    .selectFrom("participations")
    .innerJoin("users", "users.id", "participations.user_id")
    .select("users.id")
    .where("conversation_id", "=", conversationId)
    .where("bot_type", "=", botTypes.outgoingWebhook)
    .where("is_active", "=", true)
    .execute();
  return rows.map((row) => row.id);
}
