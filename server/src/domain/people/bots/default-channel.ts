import { missingParameter } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";

/** The channel for a bot's message that names none; other users must name one. */
export async function defaultSendingChannel(db: Db, user: User): Promise<number> {
  const bot = user.is_bot
    ? await db
        .selectFrom("bots")
        .select("default_sending_channel_id as id")
        .where("user_id", "=", user.id)
        .executeTakeFirst()
    : undefined;
  if (!bot || bot.id === null) throw missingParameter("to");
  return bot.id;
}
