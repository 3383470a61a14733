/** Messages the server's own bots send, as part of the change they report. */
import type { TxContext } from "../../../context.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import { accountById, type Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import type { SendOptions } from "./compose.ts";
import { sendWithin, type Destination } from "./send-within.ts";

export const systemBotNames = { "notification-bot": "Notification Bot", "welcome-bot": "Welcome Bot" } as const;
export type SystemBot = keyof typeof systemBotNames;
const attempts = 5;

export async function systemBotId(db: Db, realmId: number, bot: SystemBot): Promise<number> {
  const { id } = await db
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realmId)
    .where("is_system_bot", "=", true)
    .where("full_name", "=", systemBotNames[bot])
    .executeTakeFirstOrThrow();
  return id;
}

export async function sendNotice(
  tx: Tx,
  ctx: TxContext,
  realm: Pick<Realm, "id" | "host">,
  from: SystemBot,
  to: Destination,
  content: string,
  more: Pick<SendOptions, "unreadBy"> = {},
): Promise<number> {
  const id = await systemBotId(tx, realm.id, from);
  const origin = realmUrlWithoutRequest(ctx.config, realm);
  for (let attempt = 1; ; attempt++) {
    const bot = await accountById(tx, id);
    if (!bot) throw new Error("a system bot is missing or inactive");
    try {
      return await sendWithin(tx, ctx, bot, {
        to,
        content,
        clientName: "Internal",
        origin,
        readBySender: true,
        ...more,
      });
    } catch (error) {
      // The organization changed since the bot was read.
      if (!(error instanceof StaleSession) || attempt >= attempts) throw error;
    }
  }
}
