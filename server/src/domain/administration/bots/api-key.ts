import { roles } from "@skein/api/users.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { createApiKey, revokeApiKeys } from "../../people/auth/api-keys.ts";
import type { LockedAccount } from "../../people/users/access.ts";
import { accessBotForUpdate } from "./access.ts";
import { emitBotChange } from "../../people/bots/events.ts";
import { sealKey } from "../../people/bots/sealed-bot.ts";

/** Requires permission to change the bot. */
export async function regenerateKey(tx: Tx, box: SecretBox, actor: User, botId: number): Promise<string> {
  return renewKey(tx, box, await accessBotForUpdate(tx, actor, botId));
}

type KeyHolder = Pick<LockedAccount, "id" | "realm_id" | "bot_owner_id" | "role">;

/** Replaces the bot's key and returns the new one. */
export async function renewKey(tx: Tx, box: SecretBox, bot: KeyHolder): Promise<string> {
  await revokeApiKeys(tx, bot);
  const key = await createApiKey(tx, { ...bot, is_bot: true }, "bot");
  await storeKey(tx, bot, sealKey(box, bot.id, key));
  return key;
}

/** Leaves the bot without a key until somebody generates a new one. */
export async function revokeKey(tx: Tx, bot: KeyHolder): Promise<void> {
  await revokeApiKeys(tx, bot);
  await storeKey(tx, bot, "");
}

async function storeKey(tx: Tx, bot: KeyHolder, sealed_api_key: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("bots")
    .set({ sealed_api_key })
    .where("user_id", "=", bot.id)
    .where("sealed_api_key", "<>", sealed_api_key)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) emitBotChange(tx, bot, { role: bot.role, sealed_api_key });
}

/**
 * When a bot gains or loses the owner role, a different set of people may read its key. All administrators could read the
 * key of a bot that becomes an owner, so that key is revoked, and an owner has to generate a new one.
 */
export async function adaptKeyToRole(tx: Tx, bot: LockedAccount, role: number): Promise<void> {
  if (!bot.is_bot || (role === roles.owner) === (bot.role === roles.owner)) return;
  if (role === roles.owner) {
    await revokeApiKeys(tx, bot);
    await tx.updateTable("bots").set({ sealed_api_key: "" }).where("user_id", "=", bot.id).execute();
  }
  const key = await tx.selectFrom("bots").select("sealed_api_key").where("user_id", "=", bot.id).executeTakeFirst();
  if (key) emitBotChange(tx, bot, { role, ...key });
}
