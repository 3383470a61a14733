/** Transferring a bot to another owner. */
import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import { toEveryone, toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import type { LockedAccount } from "../../people/users/access.ts";
import { renewKey } from "./api-key.ts";
import { emitBot, emitChange, emitLostBot, toBotAdministrators } from "../../people/bots/events.ts";
import { getBot } from "./queries.ts";

/** The caller has checked that the bot may be changed. It gets a new key, because the previous owner knows the old one. */
export async function changeOwner(tx: Tx, box: SecretBox, bot: LockedAccount, ownerId: number): Promise<void> {
  if (ownerId === bot.bot_owner_id) return;
  await accessNewOwner(tx, bot.realm_id, ownerId);
  await tx.updateTable("users").set({ bot_owner_id: ownerId }).where("id", "=", bot.id).execute();
  const person = { user_id: bot.id, bot_owner_id: ownerId };
  emit(tx, bot.realm_id, toEveryone, { type: "realm_user", op: "update", person });

  const administrators = await humanAdministrators(tx, bot.realm_id, [bot.bot_owner_id ?? 0, ownerId]);
  if (bot.bot_owner_id !== null && !administrators.has(bot.bot_owner_id))
    emitLostBot(tx, bot.realm_id, toUser(bot.bot_owner_id), bot.id);
  emitChange(tx, bot, toBotAdministrators(null), { owner_id: ownerId });
  // Emitted to administrators only: the previous owner has lost the bot, and the new one gets the whole bot below.
  if (bot.is_active) await renewKey(tx, box, { ...bot, bot_owner_id: null });
  if (!administrators.has(ownerId)) emitBot(tx, bot.realm_id, toUser(ownerId), await getBot(tx, bot.realm_id, bot.id));
}

async function accessNewOwner(tx: Tx, realmId: number, id: number): Promise<void> {
  const owner = await tx
    .selectFrom("users")
    .select(["is_active", "is_bot"])
    .where("realm_id", "=", realmId)
    .where("id", "=", id)
    .where("is_system_bot", "=", false)
    .executeTakeFirst();
  if (!owner) throw new ApiError("Failed to change owner, no such user");
  if (!owner.is_active) throw new ApiError("Failed to change owner, user is deactivated");
  if (owner.is_bot) throw new ApiError("Failed to change owner, bots can't own other bots");
}

/** Those of the users who are administrators, and so receive events about every bot. */
async function humanAdministrators(tx: Tx, realmId: number, ids: number[]): Promise<Set<number>> {
  const rows = await tx
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realmId)
    .where("id", "in", ids)
    .where("role", "<=", roles.administrator)
    .execute();
  return new Set(rows.map((row) => row.id));
}
