import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { createApiKey, revokeApiKeys } from "../auth/api-keys.ts";
import { accessBotForUpdate } from "./access.ts";
import { emitBotChange } from "./events.ts";
import { sealKey } from "./sealed-bot.ts";

/** The new key; the bot has no other. */
export async function regenerateKey(tx: Tx, box: SecretBox, actor: User, botId: number): Promise<string> {
  const bot = await accessBotForUpdate(tx, actor, botId);
  await revokeApiKeys(tx, bot);
  const key = await createApiKey(tx, bot, "bot");
  const sealed_api_key = sealKey(box, bot.id, key);
  await tx.updateTable("bots").set({ sealed_api_key }).where("user_id", "=", bot.id).execute();
  emitBotChange(tx, bot, { sealed_api_key });
  return key;
}
