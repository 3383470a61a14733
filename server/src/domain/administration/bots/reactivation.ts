/** The extra steps for reactivating a bot, compared to other accounts. */
import { insufficientPermission } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import type { LockedAccount } from "../../people/users/access.ts";
import { accessBotCreation } from "./access.ts";
import { inUseByOther, refuseTakenBotName } from "./names.ts";
import { changeOwner } from "./owner.ts";

/** Requires permission to create such a bot. If its owner is deactivated, the actor becomes its owner. Returns the owner's ID. */
export async function prepareBotReactivation(
  tx: Tx,
  box: SecretBox,
  actor: User,
  bot: LockedAccount,
): Promise<number | null> {
  if (bot.bot_type === null) throw insufficientPermission();
  await accessBotCreation(tx, actor, bot.bot_type);
  await refuseTakenBotName(tx, bot.realm_id, bot.full_name, { explanation: inUseByOther(bot.full_name) });
  if (await isActive(tx, bot.bot_owner_id)) return bot.bot_owner_id;
  await changeOwner(tx, box, bot, actor.id);
  return actor.id;
}

async function isActive(tx: Tx, ownerId: number | null): Promise<boolean> {
  if (ownerId === null) return false;
  const owner = await tx.selectFrom("users").select("is_active").where("id", "=", ownerId).executeTakeFirst();
  return owner?.is_active ?? false;
}
