/** What opening a closed bot needs beside what opening any account does. */
import { insufficientPermission } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { LockedAccount } from "../users/access.ts";
import { accessBotCreation } from "./access.ts";
import { inUseByOther, refuseTakenBotName } from "./names.ts";
import { changeOwner } from "./owner.ts";

/** Whoever opens a bot must be allowed to make such a one. One whose owner is gone becomes theirs. */
export async function prepareBotReactivation(tx: Tx, actor: User, bot: LockedAccount): Promise<void> {
  if (bot.bot_type === null) throw insufficientPermission();
  await accessBotCreation(tx, actor, bot.bot_type);
  await refuseTakenBotName(tx, bot.realm_id, bot.full_name, { explanation: inUseByOther(bot.full_name) });
  if (!(await isActive(tx, bot.bot_owner_id))) await changeOwner(tx, bot, actor.id);
}

async function isActive(tx: Tx, ownerId: number | null): Promise<boolean> {
  if (ownerId === null) return false;
  const owner = await tx.selectFrom("users").select("is_active").where("id", "=", ownerId).executeTakeFirst();
  return owner?.is_active ?? false;
}
