/**
 * Who may create and change bots: their owners and administrators, but never other bots. A bot with the owner role can be
 * changed only by organization owners, whoever owns the bot: its key can do everything they can.
 */
import { botTypes } from "@skein/api/bots.ts";
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError, insufficientPermission, notForBots } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { hasMetadataAccess } from "../../channels/access.ts";
import { heldRealmPermissions } from "../../organization/permissions/held-permissions.ts";
import type { SealedBot } from "../../people/bots/sealed-bot.ts";
import { accessOwnership, lockAccount, refuseStale, type LockedAccount } from "../../people/users/access.ts";
import { listBots } from "./queries.ts";

/** Throws unless this account may have bots at all. */
export function accessBots(user: User): void {
  if (user.is_bot) throw notForBots();
  if (user.role === roles.guest) throw new ApiError("Not allowed for guest users");
}

/** Throws unless the user may create bots of this type. */
export async function accessBotCreation(db: Db, user: User, botType: number): Promise<void> {
  const held = await heldRealmPermissions(db, user, ["can_create_bots_group", "can_create_write_only_bots_group"]);
  const isWriteOnly = botType === botTypes.incomingWebhook;
  if (!held.has("can_create_bots_group") && !(isWriteOnly && held.has("can_create_write_only_bots_group")))
    throw insufficientPermission();
}

/** Throws unless the user owns this bot. */
export async function accessOwnBot(db: Db, user: User, id: number): Promise<void> {
  const bot = await db
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", id)
    .where("bot_owner_id", "=", user.id)
    .where("is_active", "=", true)
    .executeTakeFirst();
  if (!bot) throw new ApiError("No such bot");
}

/** The bot, for a user who may read its key. */
export async function accessBot(db: Db, actor: User, id: number): Promise<SealedBot> {
  accessBots(actor);
  const [bot] = await listBots(db, { realmId: actor.realm_id, id });
  if (!bot) throw new ApiError("No such bot");
  if (actor.role > roles.administrator && bot.owner_id !== actor.id) throw insufficientPermission();
  return bot;
}

/** The bot, locked until the transaction ends. Permissions are checked again once it is locked. */
export async function accessBotForUpdate(tx: Tx, actor: User, id: number): Promise<LockedAccount> {
  accessBots(actor);
  const isBot = await tx
    .selectFrom("bots")
    .select("user_id")
    .where("realm_id", "=", actor.realm_id)
    .where("user_id", "=", id)
    .executeTakeFirst();
  if (!isBot) throw new ApiError("No such bot");
  const bot = await lockAccount(tx, actor.realm, id);
  await refuseStale(tx, actor);
  if (actor.role > roles.administrator && bot.bot_owner_id !== actor.id) throw insufficientPermission();
  accessOwnership(actor, bot.role);
  return bot;
}

/**
 * A bot's default channel; null for the empty name, which means none. The bot's owner sees the channel's name, so both the
 * owner and the user who chooses it must be allowed to know of the channel.
 */
export async function accessDefaultChannel(
  db: Db,
  name: string,
  choosers: [User, ...User[]],
): Promise<{ id: number; name: string } | null> {
  if (name === "") return null;
  const isKnownTo = (user: User) => sql`exists (
    select from (values (1)) as one left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    where ${hasMetadataAccess(user, "c", "s")})`;
  const { rows } = await sql<{ id: number; name: string }>`
    select c.id, c.name from channels c
    where c.realm_id = ${choosers[0].realm_id} and lower(c.name) = lower(${name}) and not c.is_archived
      and ${sql.join(choosers.map(isKnownTo), sql` and `)}`.execute(db);
  const [channel] = rows;
  if (!channel) throw new ApiError(`Invalid channel name '${name}'`);
  return channel;
}
