import * as api from "@skein/api/channels.ts";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import { insufficientPermission } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { lockDefaultChannels } from "../../channels/default-channels/access.ts";
import { accessOwnBot } from "../bots/access.ts";
import { channelPermissionNames } from "../../organization/permissions/channel-permissions.ts";
import { listSubscribers } from "../../channels/subscriptions/subscribers.ts";
import {
  accessChannelById,
  accessChannelForChange,
  accessKnownChannel,
  isAdministrator,
} from "../../channels/access.ts";
import { accessChannelForSending } from "../../messages/send/send-access.ts";
import { archiveChannel } from "./archive.ts";
import { newChannelSettings } from "./create.ts";
import { createChannel } from "../subscriptions/actions.ts";
import { recordSubscribing } from "../subscriptions/audit.ts";
import { accessPrincipals } from "../subscriptions/principals.ts";
import { toChannelName } from "../../channels/name.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { listChannels, toChannelObjects } from "../../channels/queries.ts";
import { toRetentionDays } from "../../channels/retention.ts";
import { updateChannel, type ChannelChange } from "./update.ts";
import type { AuditAction } from "@skein/api/audit-log.ts";
import { audited } from "../../organization/audit/audited.ts";
import type { Fields } from "../../organization/audit/subjects.ts";

function channelUpdate(_: Fields, after: Fields): AuditAction {
  if ("is_archived" in after) return after["is_archived"] === true ? "channel.archive" : "channel.unarchive";
  const isChanged = (...names: string[]) => names.some((name) => name in after);
  if (isChanged("is_private", "is_web_public", "history_public_to_subscribers")) return "channel.update_privacy";
  return isChanged(...channelPermissionNames) ? "channel.update_permission" : "channel.update";
}

export const channelEndpoints: BoundEndpoint[] = [
  handle(api.createChannel, async ({ ctx, user, params, request }) => {
    const named = { name: toChannelName(params.name), description: params.description.replaceAll("\n", " ") };
    const id = await transaction(ctx.db, "create channel", async (tx) => {
      const isEmpty = params.subscribers.length === 0;
      const host = realmHost(ctx.config, user.realm);
      const principals = isEmpty ? [] : await accessPrincipals(tx, user, params.subscribers, host);
      const settings = newChannelSettings(params);
      const made = await createChannel(tx, ctx, user, { named, settings, principals, isAnnounced: params.announce });
      await recordSubscribing(tx, { user, request }, made);
      return made.id;
    });
    return { id };
  }),

  handle(api.getChannels, async ({ ctx, user, params }) => {
    if (params.include_all_active && !isAdministrator(user)) throw insufficientPermission();
    const channels = await listChannels(ctx.db, user, {
      all: params.include_all || params.include_all_active,
      subscribed: params.include_subscribed,
      public: params.include_public,
      webPublic: params.include_web_public,
      readable: params.include_can_access_content,
      ownerSubscribed: params.include_owner_subscribed,
      archived: !params.exclude_archived,
    });
    const streams = await toChannelObjects(ctx.db, user.realm_id, channels);
    if (!params.include_default) return { streams };
    const defaults = new Set(channels.filter((channel) => channel.is_default).map((channel) => channel.id));
    return { streams: streams.map((stream) => ({ ...stream, is_default: defaults.has(stream.stream_id) })) };
  }),

  handle(api.getChannel, async ({ ctx, user, params }) => {
    const channel = await accessChannelById(ctx.db, user, params.stream_id);
    const [stream] = await toChannelObjects(ctx.db, user.realm_id, [channel]);
    if (!stream) throw new Error("one channel is shaped into one object");
    return { stream };
  }),

  handle(api.getChannelId, async ({ ctx, user, params }) => {
    const channel = await accessKnownChannel(ctx.db, user, { name: params.stream });
    return { stream_id: channel.id };
  }),

  handle(api.getSubscribers, async ({ ctx, user, params }) => {
    const channel = await accessChannelById(ctx.db, user, params.stream_id);
    return { subscribers: (await listSubscribers(ctx.db, [channel])).get(channel.id) ?? [] };
  }),

  handle(api.getChannelEmailAddress, async ({ ctx, user, params }) => {
    const channel = await accessChannelById(ctx.db, user, params.stream_id);
    if (!channel.is_archived) await accessChannelForSending(ctx.db, user, { id: channel.id });
    const { sender_id: sender = user.id } = params;
    if (sender !== user.id) await accessOwnBot(ctx.db, user, sender);
    // This server does not receive mail.
    return { email: "" };
  }),

  handle(api.updateChannel, async ({ ctx, user, params, request }) => {
    const change = toChange(params);
    await revoke(ctx, "update channel", (tx) =>
      audited(tx, { user, request }, { kind: "channel", id: params.stream_id, action: channelUpdate }, () =>
        updateChannel(tx, ctx, user, params.stream_id, change),
      ),
    );
    return {};
  }),

  handle(api.archiveChannel, async ({ ctx, user, params, request }) => {
    const subject = { kind: "channel", id: params.stream_id, action: "channel.archive" } as const;
    await revoke(ctx, "archive channel", (tx) =>
      audited(tx, { user, request }, subject, async () => {
        await lockDefaultChannels(tx, user.realm_id);
        const { channel, boundary } = await accessChannelForChange(tx, user, params.stream_id);
        await archiveChannel(tx, ctx, user, channel, boundary);
      }),
    );
    return {};
  }),
];

function toChange(params: ParamsOf<typeof api.updateChannel>): ChannelChange {
  const { is_private, is_web_public, history_public_to_subscribers, message_retention_days } = params;
  const permissions: ChannelChange["permissions"] = {};
  for (const name of channelPermissionNames) {
    const update = params[name];
    if (update) permissions[name] = update;
  }
  return {
    name: params.new_name,
    description: params.description,
    privacy: { is_private, is_web_public, history_public_to_subscribers },
    ...(message_retention_days === undefined
      ? {}
      : { message_retention_days: toRetentionDays(message_retention_days) }),
    is_default: params.is_default_stream,
    is_archived: params.is_archived,
    topics_policy: params.topics_policy,
    folder_id: params.folder_id,
    permissions,
  };
}
