/** A bot's owner hears of what only they can put right; of the same thing once an hour, however many deliveries fail. */
import type { Context } from "../../context.ts";
import type { User } from "../../http/sessions.ts";
import { accountById } from "../../http/sessions.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { sendNotice } from "../messages/notice.ts";
import { code, harmless, line } from "./markdown.ts";
import { isFirst } from "./once.ts";

const quietHours = 1;

async function tellOwner(ctx: Context, bot: User, text: string): Promise<void> {
  await transaction(ctx.db, "tell owner of failed delivery", async (tx) => {
    const owner = bot.bot_owner_id === null ? undefined : await accountById(tx, bot.bot_owner_id);
    if (!owner || !(await isFirst(tx, bot, ["notice", text], quietHours))) return;
    await sendNotice(tx, ctx, bot.realm, "notification-bot", { userIds: [owner.id] }, harmless(text));
  });
}

const yourBot = (bot: User): string => `your bot ${line(bot.full_name)}`;

export const tellOfMissingChannel = (ctx: Context, bot: User, named: string): Promise<void> =>
  tellOwner(
    ctx,
    bot,
    `${code(named)} is no channel that ${yourBot(bot)} can write to, so a delivery was not posted. Create the channel, ` +
      "subscribe to it if it is private, or change the address the service was given.",
  );

export const tellOfBadBody = (ctx: Context, bot: User, displayName: string): Promise<void> =>
  tellOwner(
    ctx,
    bot,
    `A delivery for ${yourBot(bot)} was not JSON, which the ${displayName} integration expects. Look at the format the ` +
      "service is set to send.",
  );

export const tellOfMissingHeader = (ctx: Context, bot: User, displayName: string, header: string): Promise<void> =>
  tellOwner(
    ctx,
    bot,
    `A delivery for ${yourBot(bot)} had no header ${code(header)}, which the ${displayName} integration needs to know ` +
      "what it is about. Does the address belong to another integration?",
  );
