import { roles } from "@skein/api/users.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { createApiKey, revokeApiKeys } from "../auth/api-keys.ts";
import type { LockedAccount } from "../users/access.ts";
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
  emitBotChange(tx, bot, { role: bot.role, sealed_api_key });
  return key;
}

/**
 * Where the role of an owner begins and ends, so does who may read the key. All administrators knew that of a bot which
 * becomes an owner: it opens nothing any more, and an owner has to make a new one.
 */
export async function followOwnerRole(tx: Tx, bot: LockedAccount, role: number): Promise<void> {
  if (!bot.is_bot || (role === roles.owner) === (bot.role === roles.owner)) return;
  if (role === roles.owner) {
    await revokeApiKeys(tx, bot);
    await tx.updateTable("bots").set({ sealed_api_key: "" }).where("user_id", "=", bot.id).execute();
  }
  const key = await tx.selectFrom("bots").select("sealed_api_key").where("user_id", "=", bot.id).executeTakeFirst();
  if (key) emitBotChange(tx, bot, { role, ...key });
}
