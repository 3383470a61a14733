/** The end of a delivery, together with what follows from it. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { accountById, StaleSession, type User } from "../../http/sessions.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { sendNotice } from "../messages/notice.ts";
import { sendWithin, type Destination } from "../messages/send-within.ts";
import { addressWithoutRequest } from "../realm/address.ts";
import { failure, type Verdict } from "./answer.ts";
import type { HandedMessage } from "./payload.ts";

interface Ended {
  message_id: number;
  bot_id: number;
  handed: HandedMessage;
}

/** As clients know answers of this kind. */
const clientName = "OutgoingWebhookResponse";
const staleAttempts = 5;

export async function conclude(ctx: Context, ended: Ended, verdict: Verdict): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await transaction(ctx.db, "conclude webhook delivery", (tx) => concludeWithin(tx, ctx, ended, verdict, true));
      return;
    } catch (error) {
      if (error instanceof ApiError) return concludeQuietly(ctx, ended, verdict, error);
      // The bot's account changed at this moment.
      if (!(error instanceof StaleSession) || attempt >= staleAttempts) throw error;
    }
  }
}

/** What the bot was to say may not be said, so that only its owner hears. */
async function concludeQuietly(ctx: Context, ended: Ended, verdict: Verdict, refusal: ApiError): Promise<void> {
  const told =
    verdict.kind === "reply" ? failure("The webhook's answer could not be posted.", refusal.message) : verdict;
  await transaction(ctx.db, "conclude webhook delivery", (tx) => concludeWithin(tx, ctx, ended, told, false));
}

async function concludeWithin(tx: Tx, ctx: Context, ended: Ended, verdict: Verdict, isSpeaking: boolean) {
  const { message_id, bot_id } = ended;
  const open = await tx
    .deleteFrom("webhook_deliveries")
    .where("message_id", "=", message_id)
    .where("bot_id", "=", bot_id)
    .returning("bot_id")
    .executeTakeFirst();
  const bot = open && (await accountById(tx, bot_id));
  if (!bot || verdict.kind === "nothing") return;
  const content = verdict.kind === "reply" ? verdict.content : `Failure! ${verdict.summary}`;
  if (isSpeaking) {
    const origin = addressWithoutRequest(ctx.config, bot.realm);
    const widgetData = verdict.kind === "reply" ? verdict.widget : undefined;
    await sendWithin(tx, ctx, bot, { to: sameConversation(ended, bot), content, clientName, origin, widgetData });
  }
  if (verdict.kind === "failure") await tellOwner(tx, ctx, bot, message_id, verdict);
}

function sameConversation({ handed: { message } }: Ended, bot: User): Destination {
  if (message.stream_id !== undefined) return { channelId: message.stream_id, topic: message.subject };
  if (typeof message.display_recipient === "string") throw new Error("a direct message goes to people");
  const others = message.display_recipient.map(({ id }) => id).filter((id) => id !== bot.id);
  return { userIds: others };
}

/** The owner need not be able to read the message, so that it is named by its id alone. */
async function tellOwner(
  tx: Tx,
  ctx: Context,
  bot: User,
  messageId: number,
  { summary, details }: Extract<Verdict, { kind: "failure" }>,
): Promise<void> {
  const owner = bot.bot_owner_id === null ? undefined : await accountById(tx, bot.bot_owner_id);
  if (!owner) return;
  const link = `${addressWithoutRequest(ctx.config, bot.realm)}/#narrow/near/${messageId}`;
  const text = `[A message](${link}) for your bot @_**${bot.full_name}|${bot.id}** could not be handed on. ${summary}`;
  await sendNotice(
    tx,
    ctx,
    bot.realm,
    "notification-bot",
    { userIds: [owner.id] },
    details === "" ? text : `${text}\n\n${details}`,
  );
}
