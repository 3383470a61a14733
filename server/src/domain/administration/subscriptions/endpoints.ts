import * as api from "@skein/api/subscriptions.ts";
import { ApiError } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { accessChannelById } from "../../channels/access.ts";
import { newChannelSettings, type NewChannelSettings } from "../channels/create.ts";
import { toChannelName } from "../../channels/name.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { accessUserById } from "../../people/users/access.ts";
import { subscribe, unsubscribe, type RequestedChannel } from "./actions.ts";
import { toColor } from "../../channels/subscriptions/color.ts";
import { accessPrincipals } from "./principals.ts";
import { isSubscribed, listKnownChannelsOf, listSubscriptions } from "../../channels/subscriptions/queries.ts";
import { updateSubscriptionSettings } from "./settings.ts";
import { recordSubscribing, recordUnsubscribing } from "./audit.ts";

export const subscriptionEndpoints: BoundEndpoint[] = [
  handle(api.subscribe, async ({ ctx, user, params, request }) => {
    const channels = params.subscriptions.map(toRequestedChannel);
    const settings = newChannelSettings(params);
    const errorsAreFatal = params.authorization_errors_fatal;
    const { unauthorized, ...lists } = await transaction(ctx.db, "subscribe", async (tx) => {
      const principals = await accessPrincipals(tx, user, params.principals, realmHost(ctx.config, user.realm));
      const wanted = {
        channels,
        settings,
        principals,
        errorsAreFatal,
        sendsNotices: params.send_new_subscription_messages,
        isAnnounced: params.announce,
      };
      const { created, changed, ...result } = await subscribe(tx, ctx, user, wanted);
      await recordSubscribing(tx, { user, request }, { created, changed });
      return result;
    });
    return errorsAreFatal ? lists : { ...lists, unauthorized };
  }),

  handle(api.unsubscribe, async ({ ctx, user, params, request }) => {
    const names = params.subscriptions.map((name) => name.trim());
    return revoke(ctx, "unsubscribe", async (tx) => {
      const principals = await accessPrincipals(tx, user, params.principals, realmHost(ctx.config, user.realm));
      const { changed, ...result } = await unsubscribe(tx, user, names, principals);
      await recordUnsubscribing(tx, { user, request }, changed);
      return result;
    });
  }),

  handle(api.updateSubscriptions, async ({ ctx, user, params, request }) => {
    const channels = params.add.map(toRequestedChannel);
    const names = params.delete.map((name) => name.trim());
    if (channels.length + names.length === 0)
      throw new ApiError('Nothing to do. Specify at least one of "add" or "delete".');
    const principals = [user];
    return revoke(ctx, "update subscriptions", async (tx) => {
      const wanted = {
        channels,
        settings: ordinaryChannel,
        principals,
        errorsAreFatal: true,
        sendsNotices: true,
        isAnnounced: false,
      };
      const {
        unauthorized: _,
        created,
        changed,
        ...added
      } = channels.length > 0 ? await subscribe(tx, ctx, user, wanted) : nothingAdded;
      await recordSubscribing(tx, { user, request }, { created, changed });
      const { changed: __, ...removed } = await unsubscribe(tx, user, names, principals);
      return { ...added, ...removed };
    });
  }),

  handle(api.getSubscriptions, async ({ ctx, user, params }) => ({
    subscriptions: await listSubscriptions(ctx.db, user, params.include_subscribers),
  })),

  handle(api.getSubscriptionStatus, async ({ ctx, user, params }) => {
    const target = await accessUserById(ctx.db, user, params.user_id);
    const channel = await accessChannelById(ctx.db, user, params.stream_id);
    return { is_subscribed: await isSubscribed(ctx.db, target, channel) };
  }),

  handle(api.getUserChannels, async ({ ctx, user, params }) => {
    const target = await accessUserById(ctx.db, user, params.user_id);
    return { subscribed_channel_ids: await listKnownChannelsOf(ctx.db, user, target) };
  }),

  handle(api.updateSubscriptionSettings, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "update subscription settings", (tx) =>
      updateSubscriptionSettings(tx, user, params.subscription_data),
    );
    return {};
  }),

  handle(api.updateSubscriptionSetting, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "update subscription settings", (tx) => updateSubscriptionSettings(tx, user, [params]));
    return {};
  }),
];

interface ChannelParameter {
  name: string;
  description?: string | undefined;
  color?: string | undefined;
}

const toRequestedChannel = ({ name, description = "", color }: ChannelParameter): RequestedChannel => ({
  name: toChannelName(name),
  description: description.replaceAll("\n", " "),
  color: color === undefined ? undefined : toColor(color),
});

const ordinaryChannel: NewChannelSettings = {
  invite_only: false,
  is_web_public: false,
  is_default: false,
  history_public_to_subscribers: true,
  message_retention_days: null,
  permissions: {},
};

const nothingAdded = {
  subscribed: {},
  already_subscribed: {},
  new_subscription_messages_sent: false,
  unauthorized: [],
  created: [],
  changed: [],
};
