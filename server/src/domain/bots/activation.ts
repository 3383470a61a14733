/** Closing a bot, for its owner as for administrators. */
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { deactivateUser } from "../users/activation.ts";
import { accessBotForUpdate } from "./access.ts";

export async function deactivateBot(tx: Tx, actor: User, id: number): Promise<void> {
  const bot = await accessBotForUpdate(tx, actor, id);
  await deactivateUser(tx, actor.realm, bot.id);
}
