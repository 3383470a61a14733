import { botTypes } from "@skein/api/bots.ts";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { createApiKey } from "../auth/api-keys.ts";
import { sealSettings } from "../incoming-webhooks/shared-secret.ts";
import { emitStandingChange } from "../user-groups/system-membership.ts";
import { rankIn } from "../users/access.ts";
import { emitAppearance } from "../users/event-shapes.ts";
import { refuseTakenName } from "../users/rename.ts";
import { accessBotCreation, accessDefaultChannel } from "./access.ts";
import { emitBot, toBotAdministrators } from "./events.ts";
import { refuseTakenBotName } from "./names.ts";
import { getBot } from "./queries.ts";
import { sealKey, type SealedBot } from "./sealed-bot.ts";
import { addWebhookService, checkInterface, checkWebhookUrl } from "./webhook-service.ts";

/** A bot to be; its name and address were checked. */
export interface NewBot {
  full_name: string;
  email: string;
  bot_type: number;
  payload_url: string;
  interface_type: number;
  service_name: string;
  /** Settings of an integration; they were checked. Bots of other types have none. */
  config_data: Record<string, string>;
  default_sending_stream: string;
  default_events_register_stream: string;
  default_all_public_streams: boolean;
  /** Of files that are stored already. */
  avatar_key: string | null;
}

export async function createBot(tx: Tx, box: SecretBox, owner: User, wish: NewBot): Promise<SealedBot> {
  checkType(wish);
  const { realm } = owner;
  if (realm.require_unique_names) await refuseTakenName(tx, realm, wish.full_name);
  await refuseTakenBotName(tx, realm.id, wish.full_name);
  await accessBotCreation(tx, owner, wish.bot_type);
  const sending = await accessDefaultChannel(tx, wish.default_sending_stream, [owner]);
  const registering = await accessDefaultChannel(tx, wish.default_events_register_stream, [owner]);

  const account = await addAccount(tx, owner, wish);
  const key = await createApiKey(tx, account, "bot");
  await tx
    .insertInto("bots")
    .values({
      user_id: account.id,
      realm_id: realm.id,
      sealed_api_key: sealKey(box, account.id, key),
      default_sending_channel_id: sending?.id ?? null,
      default_events_register_channel_id: registering?.id ?? null,
      default_all_public_channels: wish.default_all_public_streams,
      config: JSON.stringify(settingsOf(box, account.id, wish)),
    })
    .execute();
  if (wish.bot_type === botTypes.outgoingWebhook)
    await addWebhookService(tx, box, {
      botId: account.id,
      realmId: realm.id,
      name: wish.service_name,
      url: wish.payload_url,
      interfaceType: wish.interface_type,
    });
  const bot = await getBot(tx, realm.id, account.id);
  emitBot(tx, realm.id, toBotAdministrators(owner.id), bot);
  return bot;
}

/** Only bots that speak for a service have some. */
const settingsOf = (box: SecretBox, botId: number, { bot_type, config_data }: NewBot): Record<string, string> =>
  bot_type === botTypes.incomingWebhook ? sealSettings(box, botId, config_data) : {};

function checkType({ bot_type, payload_url, interface_type }: NewBot): void {
  if (!Object.values(botTypes).some((type) => type === bot_type)) throw new ApiError("Invalid bot type");
  // None come with this server.
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
      avatar_source: avatar_key === null ? "G" : "U",
    })
    // Of two who want the same address at once, one finds it taken.
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .returning(rankIn(owner.realm).as("rank"))
    .executeTakeFirst();
  if (!account) throw new ApiError("Email is already in use.");
  emitAppearance(tx, owner.realm_id, account);
  await emitStandingChange(tx, account, undefined, account);
  return account;
}
