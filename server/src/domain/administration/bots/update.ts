import type { ParamsOf } from "@skein/api/endpoint.ts";
import type { updateBot as updateBotEndpoint } from "@skein/api/bots.ts";
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import { accountById, type User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { setAvatar } from "../../people/avatars/actions.ts";
import { secretSetting } from "../../integrations/incoming-webhooks/settings.ts";
import { keptSettings, sealSettings } from "../../integrations/incoming-webhooks/shared-secret.ts";
import { accessAdministration, type LockedAccount } from "../../people/users/access.ts";
import { changeEmail } from "../../people/users/addresses.ts";
import { checkFullName } from "../../people/users/full-name.ts";
import { changeFullName } from "../../people/users/rename.ts";
import { changeRole } from "../users/role.ts";
import { accessBotForUpdate, accessDefaultChannel } from "./access.ts";
import { emitBotChange } from "../../people/bots/events.ts";
import { refuseTakenBotName } from "./names.ts";
import { changeOwner } from "./owner.ts";
import { getBot } from "./queries.ts";
import type { SealedBot, SealedChange } from "../../people/bots/sealed-bot.ts";
import { checkInterface, checkWebhookUrl, updateWebhookService } from "./webhook-service.ts";

/** The address is made of the short name. */
type Changes = Omit<ParamsOf<typeof updateBotEndpoint>, "bot_id" | "short_name"> & { email?: string | undefined };

interface UpdateResult {
  bot: SealedBot;
  /** The key of the previous picture's files, to be removed. */
  replacedPicture: string | null;
}

/** `picture` is the key of files that are already stored. */
export async function updateBot(
  tx: Tx,
  box: SecretBox,
  actor: User,
  id: number,
  changes: Changes,
  picture: string | null,
): Promise<UpdateResult> {
  const bot = await accessBotForUpdate(tx, actor, id);
  if (changes.full_name !== undefined) await rename(tx, actor, bot, changes.full_name);
  if (changes.email !== undefined) await changeEmail(tx, actor.realm, bot, changes.email);
  if (changes.role !== undefined) {
    accessAdministration(actor);
    await changeRole(tx, actor, bot, changes.role);
  }
  if (changes.config_data !== undefined) await updateConfig(tx, box, bot, changes.config_data);
  if (changes.service_payload_url !== undefined || changes.service_interface !== undefined)
    await changeService(tx, box, bot, changes);
  await changeDefaults(tx, actor, bot, changes);
  const replacedPicture = picture === null ? null : (await setAvatar(tx, bot, picture)).replaced;
  // Last, so that the events above go to the previous owner.
  if (changes.bot_owner_id !== undefined) await changeOwner(tx, box, bot, changes.bot_owner_id);
  return { bot: await getBot(tx, bot.realm_id, bot.id), replacedPicture };
}

async function rename(tx: Tx, actor: User, bot: LockedAccount, given: string): Promise<void> {
  const full_name = checkFullName(given);
  if (full_name === bot.full_name) return;
  if (bot.is_active) await refuseTakenBotName(tx, bot.realm_id, full_name, { except: bot.id });
  await changeFullName(tx, actor.realm, bot, full_name);
}

async function changeService(tx: Tx, box: SecretBox, bot: LockedAccount, changes: Changes): Promise<void> {
  const { service_payload_url: url, service_interface } = changes;
  const service = await updateWebhookService(tx, box, bot, {
    ...(url === undefined ? {} : { url: checkWebhookUrl(url, "service_payload_url") }),
    ...(service_interface === undefined ? {} : { interface: checkInterface(service_interface) }),
  });
  emitBotChange(tx, bot, { service });
}

async function changeDefaults(tx: Tx, actor: User, bot: LockedAccount, changes: Changes): Promise<void> {
  const owner = bot.bot_owner_id === null ? undefined : await accountById(tx, bot.bot_owner_id);
  const access = (name: string) => accessDefaultChannel(tx, name, owner ? [actor, owner] : [actor]);
  const {
    default_sending_stream: sending,
    default_events_register_stream: registering,
    default_all_public_streams: allPublic,
  } = changes;
  const set: { [K in "default_sending_channel_id" | "default_events_register_channel_id"]?: number | null } = {};
  const change: SealedChange = {};
  if (sending !== undefined) {
    const channel = await access(sending);
    set.default_sending_channel_id = channel?.id ?? null;
    change.default_sending_stream = channel?.name ?? null;
  }
  if (registering !== undefined) {
    const channel = await access(registering);
    set.default_events_register_channel_id = channel?.id ?? null;
    change.default_events_register_stream = channel?.name ?? null;
  }
  if (allPublic !== undefined) change.default_all_public_streams = allPublic;
  if (Object.keys(change).length === 0) return;
  if (allPublic && bot.role === roles.guest) throw new ApiError("User not authorized for this query");
  await tx
    .updateTable("bots")
    .set({ ...set, ...(allPublic === undefined ? {} : { default_all_public_channels: allPublic }) })
    .where("user_id", "=", bot.id)
    .execute();
  emitBotChange(tx, bot, change);
}

const maxConfigBytes = 10_000;

type Settings = Record<string, string>;

async function updateConfig(tx: Tx, box: SecretBox, bot: LockedAccount, config: Settings): Promise<void> {
  const replaced = secretSetting in config ? keptSettings : [];
  const added = JSON.stringify(sealSettings(box, bot.id, config));
  const { rows } = await sql<{ bytes: number }>`
    update bots set config = (config - ${replaced}::text[]) || ${added}::jsonb where user_id = ${bot.id}
    returning (select coalesce(sum(octet_length(key) + octet_length(value)), 0) from jsonb_each_text(config))
      as bytes`.execute(tx);
  if ((rows[0]?.bytes ?? 0) > maxConfigBytes)
    throw new ApiError(`Cannot store configuration: it would be larger than ${maxConfigBytes} bytes.`);
}
