import * as api from "@skein/api/emoji.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addEmoji, deactivateEmoji } from "./actions.ts";
import { listCustomEmoji } from "./queries.ts";

export const emojiEndpoints: BoundEndpoint[] = [
  handle(api.getCustomEmoji, async ({ ctx, user }) => ({ emoji: await listCustomEmoji(ctx.db, user.realm_id) })),

  handle(api.uploadCustomEmoji, async ({ ctx, user, params, request }) => {
    await addEmoji(ctx, user, params.emoji_name, request.files);
    return {};
  }),

  handle(api.deactivateCustomEmoji, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "deactivate emoji", (tx) => deactivateEmoji(tx, user, params.emoji_name));
    return {};
  }),
];
