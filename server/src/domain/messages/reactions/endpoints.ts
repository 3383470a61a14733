import * as api from "@skein/api/reactions.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addReaction, removeReaction } from "./actions.ts";

export const reactionEndpoints: BoundEndpoint[] = [
  handle(api.addReaction, async ({ ctx, user, params: { message_id, ...emoji } }) => {
    await transaction(ctx.db, "add reaction", (tx) => addReaction(tx, ctx, user, message_id, emoji));
    return {};
  }),

  handle(api.removeReaction, async ({ ctx, user, params: { message_id, ...emoji } }) => {
    await transaction(ctx.db, "remove reaction", (tx) => removeReaction(tx, ctx, user, message_id, emoji));
    return {};
  }),
];
