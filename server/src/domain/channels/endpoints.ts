import { getChannel, getChannels } from "@skein/api/channels.ts";
import { insufficientPermission } from "../../errors.ts";
import { handle, type BoundEndpoint } from "../../http/handle.ts";
import { accessChannelById, isAdministrator } from "./access.ts";
import { listChannels, toChannelObjects } from "./queries.ts";

export const channelEndpoints: BoundEndpoint[] = [
  handle(getChannels, async ({ ctx, user, params }) => {
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

  handle(getChannel, async ({ ctx, user, params }) => {
    const channel = await accessChannelById(ctx.db, user, params.stream_id);
    const [stream] = await toChannelObjects(ctx.db, user.realm_id, [channel]);
    if (!stream) throw new Error("one channel is shaped into one object");
    return { stream };
  }),
];
