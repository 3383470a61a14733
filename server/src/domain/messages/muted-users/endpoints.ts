import * as api from "@skein/api/muted-users.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { muteUser, unmuteUser } from "./actions.ts";

export const mutedUserEndpoints: BoundEndpoint[] = [
  handle(api.muteUser, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "mute user", (tx) => muteUser(tx, user, params.muted_user_id));
    return {};
  }),

  handle(api.unmuteUser, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "unmute user", (tx) => unmuteUser(tx, user, params.muted_user_id));
    return {};
  }),
];
