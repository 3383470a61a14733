/** Deactivating a bot, by its owner or an administrator. */
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { deactivateUser } from "../users/activation.ts";
import { accessBotForUpdate } from "./access.ts";

export async function deactivateBot(tx: Tx, actor: User, id: number): Promise<void> {
  const bot = await accessBotForUpdate(tx, actor, id);
  await deactivateUser(tx, actor.realm, bot.id);
}
