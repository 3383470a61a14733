/** Ends a delivery and posts its result, in one transaction. */
import type { Context, TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import { accountById, type User } from "../../../identity/account.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { sendNotice } from "../../messages/send/notice.ts";
import { sendWithin, type Destination } from "../../messages/send/send-within.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import { failure, type WebhookResult } from "./response.ts";
import type { WebhookMessage } from "./payload.ts";

interface Ended {
  message_id: number;
  bot_id: number;
  delivered: WebhookMessage;
}

/** The `client` of such replies, which the protocol fixes. */
const clientName = "OutgoingWebhookResponse";
const staleAttempts = 5;

export async function conclude(ctx: Context, ended: Ended, result: WebhookResult): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await transaction(ctx.db, "conclude webhook delivery", (tx) =>
        concludeInTransaction(tx, ctx, ended, result, true),
      );
      return;
    } catch (error) {
      if (error instanceof ApiError) return concludeQuietly(ctx, ended, result, error);
      // The bot's account changed in the meantime.
      if (!(error instanceof StaleSession) || attempt >= staleAttempts) throw error;
    }
  }
}

/** The bot may not post its reply, so only its owner is notified. */
async function concludeQuietly(ctx: Context, ended: Ended, result: WebhookResult, refusal: ApiError): Promise<void> {
  const shownResult =
    result.kind === "reply" ? failure("The webhook's reply could not be posted.", refusal.message) : result;
  await transaction(ctx.db, "conclude webhook delivery", (tx) =>
    concludeInTransaction(tx, ctx, ended, shownResult, false),
  );
}

async function concludeInTransaction(tx: Tx, ctx: TxContext, ended: Ended, result: WebhookResult, postsReply: boolean) {
  const { message_id, bot_id } = ended;
  const open = await tx
    .deleteFrom("webhook_deliveries")
    .where("message_id", "=", message_id)
    .where("bot_id", "=", bot_id)
    .returning("bot_id")
    .executeTakeFirst();
  const bot = open && (await accountById(tx, bot_id));
  if (!bot || result.kind === "nothing") return;
  const content = result.kind === "reply" ? result.content : `Failure! ${result.summary}`;
  if (postsReply) {
    const origin = realmUrlWithoutRequest(ctx.config, bot.realm);
    const widgetContent = result.kind === "reply" ? result.widget : undefined;
    await sendWithin(tx, ctx, bot, { to: sameConversation(ended, bot), content, clientName, origin, widgetContent });
  }
  if (result.kind === "failure") await notifyOwner(tx, ctx, bot, message_id, result);
}

function sameConversation({ delivered: { message } }: Ended, bot: User): Destination {
  if (message.stream_id !== undefined) return { channelId: message.stream_id, topic: message.subject };
  if (typeof message.display_recipient === "string") throw new Error("expected the recipients of a direct message");
  const others = message.display_recipient.map(({ id }) => id).filter((id) => id !== bot.id);
  return { userIds: others };
}

/** The owner may not be able to read the message, so the notice only links to it by id. */
async function notifyOwner(
  tx: Tx,
  ctx: TxContext,
  bot: User,
  messageId: number,
  { summary, details }: Extract<WebhookResult, { kind: "failure" }>,
): Promise<void> {
  const owner = bot.bot_owner_id === null ? undefined : await accountById(tx, bot.bot_owner_id);
  if (!owner) return;
  const link = `${realmUrlWithoutRequest(ctx.config, bot.realm)}/#narrow/near/${messageId}`;
  const text = `[A message](${link}) for your bot @_**${bot.full_name}|${bot.id}** could not be delivered. ${summary}`;
  await sendNotice(
    tx,
    ctx,
    bot.realm,
    "notification-bot",
    { userIds: [owner.id] },
    details === "" ? text : `${text}\n\n${details}`,
  );
}
