import type { ParamsOf } from "@skein/api/endpoint.ts";
import * as api from "@skein/api/status.ts";
import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { accountById, type User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { byCaller, lockHead, record } from "../../organization/audit/record.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { lockOwnAccount } from "../settings/access.ts";
import { updateSettings } from "../settings/update.ts";
import { accessUserById, noSuchUser } from "../users/access.ts";
import { updateStatus, type StatusChange } from "./actions.ts";
import { accessEmoji } from "../../organization/emoji/which-emoji.ts";
import { findStatus } from "./queries.ts";

export const statusEndpoints: BoundEndpoint[] = [
  handle(api.updateStatus, async ({ ctx, user, params }) => {
    const { away } = params;
    const change = await readChange(ctx.db, user, params);
    const isAnything = Object.values(change).some((value) => value !== undefined);
    if (!isAnything && away === undefined) throw new ApiError("Client did not pass any new values.");
    const host = realmHost(ctx.config, user.realm);
    await transaction(ctx.db, "update status", async (tx) => {
      if (away !== undefined)
        await updateSettings(tx, await lockOwnAccount(tx, user), host, { presence_enabled: !away });
      if (isAnything) await updateStatus(tx, user, change);
    });
    return {};
  }),

  handle(api.updateUserStatus, async ({ ctx, user, params, request }) => {
    if (user.role > roles.administrator) throw new ApiError("Must be an organization administrator");
    const target = await accessUserById(ctx.db, user, params.user_id);
    if (target.is_bot || !target.is_active) throw noSuchUser();
    const change = await readChange(ctx.db, user, params);
    if (Object.values(change).every((value) => value === undefined))
      throw new ApiError("Client did not pass any new values.");
    await transaction(ctx.db, "update status of user", async (tx) => {
      await lockHead(tx, user.realm_id);
      const account = await accountById(tx, target.id);
      if (!account) throw noSuchUser();
      const before = await findStatus(tx, target.id);
      await updateStatus(tx, account, change);
      await record(tx, user.realm_id, byCaller(user, request), {
        action: "user.update",
        target: { kind: "user", id: target.id },
        before: { status: before },
        after: { status: await findStatus(tx, target.id) },
      });
    });
    return {};
  }),

  handle(api.getUserStatus, async ({ ctx, user, params }) => {
    const { id } = await accessUserById(ctx.db, user, params.user_id);
    return { status: await findStatus(ctx.db, id) };
  }),
];

type StatusParams = Omit<ParamsOf<typeof api.updateStatus>, "away">;

async function readChange(db: Db, user: User, params: StatusParams): Promise<StatusChange> {
  const { status_text, emoji_name, emoji_code, reaction_type } = params;
  if (status_text?.includes("\0")) throw new ApiError("Invalid status_text");
  const text = { status_text: status_text?.trim() };
  if (emoji_name === undefined) {
    if (emoji_code !== undefined || reaction_type !== undefined)
      throw new ApiError("Client must pass emoji_name if they pass either emoji_code or reaction_type.");
    return { ...text, emoji: undefined };
  }
  if (emoji_name === "") return { ...text, emoji: null };
  return { ...text, emoji: await accessEmoji(db, user.realm_id, { emoji_name, emoji_code, reaction_type }) };
}
