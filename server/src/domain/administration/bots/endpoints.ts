import * as api from "@skein/api/bots.ts";
import type { Context } from "../../../context.ts";
import { revoke } from "../../../events/revoke.ts";
import type { SentFile } from "../../../http/form.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { accountById, type User } from "../../../identity/account.ts";
import { CommitOutcomeUnknown, transaction } from "../../../platform/db/transaction.ts";
import { removeAvatarFiles, storeAvatar } from "../../people/avatars/file.ts";
import { checkIntegration } from "../../integrations/incoming-webhooks/settings.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { apiEmail } from "../../people/users/email.ts";
import { checkFullName } from "../../people/users/full-name.ts";
import { accessBot, accessBots } from "./access.ts";
import { deactivateBot } from "./activation.ts";
import { regenerateKey } from "./api-key.ts";
import { createBot } from "./create.ts";
import { botEmail } from "./names.ts";
import { listBots } from "./queries.ts";
import { openBot, type SealedBot } from "../../people/bots/sealed-bot.ts";
import { updateBot } from "./update.ts";
import { audited } from "../../organization/audit/audited.ts";
import type { Fields } from "../../organization/audit/subjects.ts";

const shownDefaults = (bot: SealedBot) => ({
  avatar_url: bot.avatar_url,
  default_sending_stream: bot.default_sending_stream,
  default_events_register_stream: bot.default_events_register_stream,
  default_all_public_streams: bot.default_all_public_streams,
});

/** Stores a picture's files before `work` emits events about them, and removes them if `work` fails. */
async function withPicture<T>(
  ctx: Context,
  user: User,
  files: SentFile[],
  work: (key: string | null) => Promise<T>,
): Promise<T> {
  const key = files.length > 0 ? await storeAvatar(ctx.files, user, files) : null;
  try {
    return await work(key);
  } catch (error) {
    if (key !== null && !(error instanceof CommitOutcomeUnknown)) await removeAvatarFiles(ctx.files, key);
    throw error;
  }
}

const botUpdate = (_: Fields, after: Fields) => ("role" in after ? "bot.update_role" : "bot.update");

export const botEndpoints: BoundEndpoint[] = [
  handle(api.getBots, async ({ ctx, user }) => {
    accessBots(user);
    const bots = await listBots(ctx.db, { realmId: user.realm_id, ownerId: user.id }, user);
    return {
      bots: bots
        .filter((bot) => bot.is_active)
        .map((bot) => ({
          username: bot.email,
          full_name: bot.full_name,
          api_key: openBot(ctx.secretBox, user, bot).api_key,
          ...shownDefaults(bot),
        })),
    };
  }),

  handle(api.createBot, async ({ ctx, user, params, request }) => {
    accessBots(user);
    const { short_name, service_name, config_data, bot_type } = params;
    const email = botEmail(short_name, realmHost(ctx.config, user.realm));
    const newBot = {
      ...params,
      email,
      full_name: checkFullName(params.full_name),
      service_name: service_name ?? short_name.trim(),
      default_sending_stream: params.default_sending_stream ?? "",
      default_events_register_stream: params.default_events_register_stream ?? "",
    };
    if (bot_type === api.botTypes.incomingWebhook) checkIntegration(service_name ?? "", config_data);
    const bot = await withPicture(ctx, user, request.files, (avatar_key) =>
      transaction(ctx.db, "create bot", (tx) =>
        audited(tx, { user, request }, { kind: "bot", id: (made) => made.user_id, action: "bot.create" }, () =>
          createBot(tx, ctx.secretBox, user, { ...newBot, avatar_key }),
        ),
      ),
    );
    return {
      user_id: bot.user_id,
      api_key: openBot(ctx.secretBox, user, bot).api_key,
      ...shownDefaults(bot),
    };
  }),

  handle(api.updateBot, async ({ ctx, user, params, request }) => {
    accessBots(user);
    const { bot_id, short_name, ...others } = params;
    const email = short_name === undefined ? undefined : botEmail(short_name, realmHost(ctx.config, user.realm));
    const changes = { ...others, email };
    const { bot, replacedPicture } = await withPicture(ctx, user, request.files, (key) =>
      revoke(ctx, "update bot", (tx) =>
        audited(tx, { user, request }, { kind: "bot", id: bot_id, action: botUpdate }, () =>
          updateBot(tx, ctx.secretBox, user, bot_id, changes, key),
        ),
      ),
    );
    if (replacedPicture !== null) await removeAvatarFiles(ctx.files, replacedPicture);
    const owner = bot.owner_id === null ? undefined : await accountById(ctx.db, bot.owner_id);
    return {
      full_name: bot.full_name,
      ...shownDefaults(bot),
      service_payload_url: changes.service_payload_url ?? null,
      service_interface: changes.service_interface ?? null,
      config_data: changes.config_data ?? null,
      ...(owner ? { bot_owner: apiEmail(owner, realmHost(ctx.config, user.realm)) } : {}),
    };
  }),

  handle(api.deactivateBot, async ({ ctx, user, params, request }) => {
    await revoke(ctx, "deactivate bot", (tx) =>
      audited(tx, { user, request }, { kind: "bot", id: params.bot_id, action: "bot.deactivate" }, () =>
        deactivateBot(tx, user, params.bot_id),
      ),
    );
    return {};
  }),

  handle(api.getBotApiKey, async ({ ctx, user, params }) => {
    const bot = await accessBot(ctx.db, user, params.bot_id);
    return { api_key: openBot(ctx.secretBox, user, bot).api_key };
  }),

  handle(api.regenerateBotApiKey, async ({ ctx, user, params, request }) => {
    const api_key = await revoke(ctx, "regenerate bot API key", (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "bot", id: params.bot_id, action: "bot.regenerate_api_key", isAlways: true },
        () => regenerateKey(tx, ctx.secretBox, user, params.bot_id),
      ),
    );
    return { api_key };
  }),
];
