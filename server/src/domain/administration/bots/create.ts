import { botTypes } from "@skein/api/bots.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { createApiKey } from "../../people/auth/api-keys.ts";
import { sealSettings } from "../../integrations/incoming-webhooks/shared-secret.ts";
import { emitSystemMembership } from "../../people/user-groups/system-membership.ts";
import { lockAccount, rankIn, refuseStale } from "../../people/users/access.ts";
import { defaultAvatarSource } from "../../people/users/avatar.ts";
import { emitUserAdded } from "../../people/users/event-shapes.ts";
import { refuseTakenName } from "../../people/users/rename.ts";
import { accessBotCreation, accessDefaultChannel } from "./access.ts";
import { emitBot, toBotAdministrators } from "../../people/bots/events.ts";
import { refuseTakenBotName } from "./names.ts";
import { getBot } from "./queries.ts";
import { sealKey, type SealedBot } from "../../people/bots/sealed-bot.ts";
import { addWebhookService, checkInterface, checkWebhookUrl } from "./webhook-service.ts";

/** Its name and e-mail address have been checked. */
export interface NewBot {
  full_name: string;
  email: string;
  bot_type: number;
  payload_url: string;
  interface_type: number;
  service_name: string;
  /** Settings of an integration, already checked. Bots of other types have none. */
  config_data: Record<string, string>;
  default_sending_stream: string;
  default_events_register_stream: string;
  default_all_public_streams: boolean;
  /** The key of files that are already stored. */
  avatar_key: string | null;
}

export async function createBot(tx: Tx, box: SecretBox, owner: User, newBot: NewBot): Promise<SealedBot> {
  checkType(newBot);
  const { realm } = owner;
  // Otherwise an owner who is demoted or deactivated concurrently would keep their power through this new bot.
  await lockAccount(tx, realm, owner.id);
  await refuseStale(tx, owner);
  if (realm.require_unique_names) await refuseTakenName(tx, realm, newBot.full_name);
  await refuseTakenBotName(tx, realm.id, newBot.full_name);
  await accessBotCreation(tx, owner, newBot.bot_type);
  const sending = await accessDefaultChannel(tx, newBot.default_sending_stream, [owner]);
  const registering = await accessDefaultChannel(tx, newBot.default_events_register_stream, [owner]);

  const account = await addAccount(tx, owner, newBot);
  const key = await createApiKey(tx, { ...account, is_bot: true }, "bot");
  await tx
    .insertInto("bots")
    .values({
      user_id: account.id,
      realm_id: realm.id,
      sealed_api_key: sealKey(box, account.id, key),
      default_sending_channel_id: sending?.id ?? null,
      default_events_register_channel_id: registering?.id ?? null,
      default_all_public_channels: newBot.default_all_public_streams,
      config: JSON.stringify(settingsOf(box, account.id, newBot)),
    })
    .execute();
  if (newBot.bot_type === botTypes.outgoingWebhook)
    await addWebhookService(tx, box, {
      botId: account.id,
      realmId: realm.id,
      name: newBot.service_name,
      url: newBot.payload_url,
      interfaceType: newBot.interface_type,
    });
  const bot = await getBot(tx, realm.id, account.id);
  emitBot(tx, realm.id, toBotAdministrators(owner.id), bot);
  return bot;
}

/** Only incoming-webhook bots have settings. */
const settingsOf = (box: SecretBox, botId: number, { bot_type, config_data }: NewBot): Record<string, string> =>
  bot_type === botTypes.incomingWebhook ? sealSettings(box, botId, config_data) : {};

function checkType({ bot_type, payload_url, interface_type }: NewBot): void {
  if (!Object.values(botTypes).some((type) => type === bot_type)) throw new ApiError("Invalid bot type");
  // This server has none.
  if (bot_type === botTypes.embedded) throw new ApiError("Embedded bots are not enabled.");
  checkInterface(interface_type);
  if (bot_type === botTypes.outgoingWebhook) checkWebhookUrl(payload_url, "payload_url");
}

async function addAccount(tx: Tx, owner: User, { email, full_name, bot_type, avatar_key }: NewBot) {
  const account = await tx
    .insertInto("users")
    .values({
      realm_id: owner.realm_id,
      delivery_email: email,
      full_name,
      is_bot: true,
      bot_type,
      bot_owner_id: owner.id,
      avatar_key,
      avatar_source: avatar_key === null ? defaultAvatarSource(owner.realm) : "U",
    })
    // If two requests use the same address at once, one fails.
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .returning(rankIn(owner.realm).as("rank"))
    .executeTakeFirst();
  if (!account) throw new ApiError("Email is already in use.");
  emitUserAdded(tx, owner.realm_id, account);
  await emitSystemMembership(tx, account, undefined, account);
  return account;
}
