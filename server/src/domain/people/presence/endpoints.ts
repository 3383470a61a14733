import * as api from "@skein/api/presence.ts";
import { roles } from "@skein/api/users.ts";
import type { Context } from "../../../context.ts";
import { ApiError, notForBots } from "../../../errors.ts";
import { handle, JoinedText, type BoundEndpoint } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { settingOf } from "../settings/state.ts";
import { accessUserByEmail, accessUserById } from "../users/access.ts";
import { toLegacyPresence } from "./formats.ts";
import { listPresencesAsText, listPresencesFor } from "./queries.ts";

export const presenceEndpoints: BoundEndpoint[] = [
  handle(api.updatePresence, async ({ ctx, user, params, request }) => {
    const { status, ping_only, last_update_id, history_limit_days, slim_presence } = params;
    if (user.is_bot) throw notForBots();
    if (status !== "active" && status !== "idle") throw new ApiError(`Invalid status: ${status}`);
    if (settingOf(user, "presence_enabled")) await ctx.presences.report(user, status === "active");
    if (ping_only) return {};
    const seesAll = user.role !== roles.guest && !user.realm.presence_disabled;
    if (last_update_id !== undefined && last_update_id > 0 && seesAll && request.unsupported.length === 0)
      return new JoinedText(await listPresencesAsText(ctx, ctx.db, user, last_update_id));
    const isSlim = slim_presence || last_update_id !== undefined;
    return listPresencesFor(ctx, ctx.db, user, { after: last_update_id, historyDays: history_limit_days, isSlim });
  }),

  handle(api.getUserPresence, async ({ ctx, user, params }) => {
    const target = await accessTarget(ctx, user, params.user_id_or_email);
    if (target.is_bot) throw new ApiError("Presence is not supported for bot users.");
    const presence = (await ctx.presences.of(user.realm_id)).find(target.id);
    if (!presence || user.realm.presence_disabled)
      throw new ApiError(`No presence data for ${params.user_id_or_email}`);
    const { status, timestamp } = toLegacyPresence(presence).aggregated;
    return { presence: { aggregated: { status, timestamp }, website: { status, timestamp } } };
  }),

  handle(api.getPresence, async ({ ctx, user }) => {
    const { presences, server_timestamp } = await listPresencesFor(ctx, ctx.db, user, { isSlim: false });
    return { presences: presences as Record<string, api.LegacyPresence>, server_timestamp }; // as requested
  }),
];

async function accessTarget(ctx: Context, user: User, idOrEmail: string) {
  if (/^\d{1,15}$/.test(idOrEmail)) return accessUserById(ctx.db, user, Number(idOrEmail));
  return accessUserByEmail(ctx.db, user, idOrEmail, realmHost(ctx.config, user.realm));
}
