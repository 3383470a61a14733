import * as api from "@skein/api/default-channels.ts";
import { ApiError } from "../../../errors.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addDefaultChannel, removeDefaultChannel } from "./actions.ts";
import { addGroupChannels, createGroup, removeGroup, removeGroupChannels, updateGroup } from "./groups.ts";
import { audited } from "../../organization/audit/audited.ts";

const groupUpdate = (id: number) =>
  ({ kind: "default_channel_group", id, action: "default_channel_group.update" }) as const;

export const defaultChannelEndpoints: BoundEndpoint[] = [
  handle(api.addDefaultChannel, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "add default channel", (tx) =>
      audited(tx, { user, request }, { kind: "channel", id: params.stream_id, action: "default_channel.add" }, () =>
        addDefaultChannel(tx, user, params.stream_id),
      ),
    );
    return {};
  }),

  handle(api.removeDefaultChannel, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "remove default channel", (tx) =>
      audited(tx, { user, request }, { kind: "channel", id: params.stream_id, action: "default_channel.remove" }, () =>
        removeDefaultChannel(tx, user, params.stream_id),
      ),
    );
    return {};
  }),

  handle(api.createDefaultChannelGroup, async ({ ctx, user, params, request }) => {
    const { group_name: name, description, stream_names: channelNames } = params;
    await transaction(ctx.db, "create default channel group", (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "default_channel_group", id: (made) => made, action: "default_channel_group.create" },
        () => createGroup(tx, user, { name, description, channelNames }),
      ),
    );
    return {};
  }),

  handle(api.updateDefaultChannelGroup, async ({ ctx, user, params, request }) => {
    const { group_id, new_group_name: name, new_description: description } = params;
    if (name === undefined && description === undefined)
      throw new ApiError('You must pass "new_description" or "new_group_name".');
    await transaction(ctx.db, "update default channel group", (tx) =>
      audited(tx, { user, request }, groupUpdate(group_id), () =>
        updateGroup(tx, user, group_id, { name, description }),
      ),
    );
    return {};
  }),

  handle(api.updateDefaultChannelGroupChannels, async ({ ctx, user, params, request }) => {
    const { group_id, op, stream_names } = params;
    if (op !== "add" && op !== "remove")
      throw new ApiError('Invalid value for "op". Specify one of "add" or "remove".');
    const change = op === "add" ? addGroupChannels : removeGroupChannels;
    await transaction(ctx.db, "update default channel group", (tx) =>
      audited(tx, { user, request }, groupUpdate(group_id), () => change(tx, user, group_id, stream_names)),
    );
    return {};
  }),

  handle(api.removeDefaultChannelGroup, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "remove default channel group", (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "default_channel_group", id: params.group_id, action: "default_channel_group.delete" },
        () => removeGroup(tx, user, params.group_id),
      ),
    );
    return {};
  }),
];
