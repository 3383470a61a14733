import * as api from "@skein/api/channel-folders.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { audited } from "../../organization/audit/audited.ts";
import { lockHead, byCaller, record } from "../../organization/audit/record.ts";
import { createFolder, reorderFolders, updateFolder } from "./actions.ts";
import { listFolders } from "./queries.ts";

export const channelFolderEndpoints: BoundEndpoint[] = [
  handle(api.getChannelFolders, async ({ ctx, user, params }) => ({
    channel_folders: await listFolders(ctx.db, user.realm_id, { includeArchived: params.include_archived }),
  })),

  handle(api.createChannelFolder, async ({ ctx, user, params, request }) => {
    const channel_folder_id = await transaction(ctx.db, "create channel folder", (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "channel_folder", id: (made) => made, action: "channel_folder.create" },
        () => createFolder(tx, user, params),
      ),
    );
    return { channel_folder_id };
  }),

  handle(api.updateChannelFolder, async ({ ctx, user, params, request }) => {
    const { channel_folder_id: id, name, description, is_archived } = params;
    await transaction(ctx.db, "update channel folder", (tx) =>
      audited(tx, { user, request }, { kind: "channel_folder", id, action: "channel_folder.update" }, () =>
        updateFolder(tx, user, id, { name, description, is_archived }),
      ),
    );
    return {};
  }),

  handle(api.reorderChannelFolders, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "reorder channel folders", async (tx) => {
      // Serializes changes, so that the last event matches the stored order.
      await lockHead(tx, user.realm_id);
      await reorderFolders(tx, user, params.order);
      await record(tx, user.realm_id, byCaller(user, request), {
        action: "channel_folder.reorder",
        target: { kind: "channel_folder", id: null },
        after: { order: params.order },
      });
    });
    return {};
  }),
];
