/** What the server itself has to say, through one of its bots, as part of the change it tells of. */
import type { Context } from "../../context.ts";
import { accountById, StaleSession, type Realm } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { addressWithoutRequest } from "../realm/address.ts";
import { sendWithin, type Destination } from "./send-within.ts";

export const systemBotNames = { "notification-bot": "Notification Bot", "welcome-bot": "Welcome Bot" } as const;
const attempts = 5;

export async function sendNotice(
  tx: Tx,
  ctx: Context,
  realm: Pick<Realm, "id" | "host">,
  from: keyof typeof systemBotNames,
  to: Destination,
  content: string,
): Promise<number> {
  const { id } = await tx
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("is_system_bot", "=", true)
    .where("full_name", "=", systemBotNames[from])
    .executeTakeFirstOrThrow();
  const origin = addressWithoutRequest(ctx.config, realm);
  for (let attempt = 1; ; attempt++) {
    const bot = await accountById(tx, id);
    if (!bot) throw new Error("one of the server's own bots is missing or inactive");
    try {
      return await sendWithin(tx, ctx, bot, { to, content, clientName: "Internal", origin, readBySender: true });
    } catch (error) {
      // The organization changed since the bot was read.
      if (!(error instanceof StaleSession) || attempt >= attempts) throw error;
    }
  }
}
