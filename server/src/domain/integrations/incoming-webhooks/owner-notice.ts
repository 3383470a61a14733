/** Notifies a bot's owner of problems only they can fix, at most once an hour per problem. */
import type { Context } from "../../../context.ts";
import type { User } from "../../../identity/account.ts";
import { accountById } from "../../../identity/account.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { sendNotice } from "../../messages/send/notice.ts";
import { code, harmless, line } from "./markdown.ts";
import { isFirst } from "./once.ts";

const quietHours = 1;

async function notifyOwner(ctx: Context, bot: User, text: string): Promise<void> {
  await transaction(ctx.db, "notify owner of failed delivery", async (tx) => {
    const owner = bot.bot_owner_id === null ? undefined : await accountById(tx, bot.bot_owner_id);
    if (!owner || !(await isFirst(tx, bot, ["notice", text], quietHours))) return;
    await sendNotice(tx, ctx, bot.realm, "notification-bot", { userIds: [owner.id] }, harmless(text));
  });
}

const yourBot = (bot: User): string => `your bot ${line(bot.full_name)}`;

export const notifyOfMissingChannel = (ctx: Context, bot: User, named: string): Promise<void> =>
  notifyOwner(
    ctx,
    bot,
    `A delivery was not posted because ${yourBot(bot)} cannot post to a channel named ${code(named)}. Create the channel, ` +
      "subscribe to it if it is private, or change the URL configured in the service.",
  );

export const notifyOfInvalidBody = (ctx: Context, bot: User, displayName: string): Promise<void> =>
  notifyOwner(
    ctx,
    bot,
    `A delivery for ${yourBot(bot)} was not JSON, which the ${displayName} integration expects. Check which format the ` +
      "service is configured to send.",
  );

export const notifyOfMissingHeader = (ctx: Context, bot: User, displayName: string, header: string): Promise<void> =>
  notifyOwner(
    ctx,
    bot,
    `A delivery for ${yourBot(bot)} had no header ${code(header)}, which the ${displayName} integration requires. ` +
      "Is the URL meant for another integration?",
  );
