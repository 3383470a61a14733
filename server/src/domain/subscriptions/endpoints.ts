import type { ParamsOf } from "@skein/api/endpoint.ts";
import * as api from "@skein/api/subscriptions.ts";
import { invalidParameter } from "../../errors.ts";
import { handle, type BoundEndpoint } from "../../http/handle.ts";
import { transaction } from "../../platform/db/transaction.ts";
import type { NewChannelSettings } from "../channels/create.ts";
import { toChannelName } from "../channels/name.ts";
import { channelPermissionNames } from "../permissions/channel-permissions.ts";
import { realmHost } from "../realm/address.ts";
import { subscribe, unsubscribe } from "./actions.ts";
import { accessPrincipals } from "./principals.ts";
import { listSubscriptions } from "./queries.ts";

type SubscribeParams = ParamsOf<typeof api.subscribe>;

export const subscriptionEndpoints: BoundEndpoint[] = [
  handle(api.subscribe, async ({ ctx, user, params }) => {
    const channels = params.subscriptions.map(({ name, description = "" }) => ({
      name: toChannelName(name),
      description: description.replaceAll("\n", " "),
    }));
    const settings = newChannelSettings(params);
    const errorsAreFatal = params.authorization_errors_fatal;
    const { unauthorized, ...lists } = await transaction(ctx.db, "subscribe", async (tx) => {
      const principals = await accessPrincipals(tx, user, params.principals, realmHost(ctx.config, user.realm));
      return subscribe(tx, user, { channels, settings, principals, errorsAreFatal });
    });
    return errorsAreFatal ? lists : { ...lists, unauthorized };
  }),

  handle(api.unsubscribe, async ({ ctx, user, params }) => {
    const names = params.subscriptions.map((name) => name.trim());
    return transaction(ctx.db, "unsubscribe", async (tx) => {
      const principals = await accessPrincipals(tx, user, params.principals, realmHost(ctx.config, user.realm));
      return unsubscribe(tx, user, names, principals);
    });
  }),

  handle(api.getSubscriptions, async ({ ctx, user, params }) => ({
    subscriptions: await listSubscriptions(ctx.db, user, params.include_subscribers),
  })),
];

function newChannelSettings(params: SubscribeParams): NewChannelSettings {
  const permissions: NewChannelSettings["permissions"] = {};
  for (const name of channelPermissionNames) {
    const value = params[name];
    if (value !== undefined) permissions[name] = value;
  }
  return {
    invite_only: params.invite_only,
    is_web_public: params.is_web_public,
    is_default: params.is_default_stream,
    history_public_to_subscribers: !params.invite_only || (params.history_public_to_subscribers ?? false),
    message_retention_days: retentionDays(params.message_retention_days),
    permissions,
  };
}

const maxRetentionDays = 2 ** 31 - 1;

/** Null: as the organization says; -1: for ever. */
function retentionDays(chosen: SubscribeParams["message_retention_days"]): number | null {
  if (chosen === undefined || chosen === "realm_default") return null;
  if (chosen === "unlimited") return -1;
  if (chosen < 1 || chosen > maxRetentionDays) throw invalidParameter("message_retention_days", String(chosen));
  return chosen;
}
