import * as api from "@skein/api/api-keys.ts";
import { describeScopes } from "@skein/api/scopes.ts";
import { roles } from "@skein/api/users.ts";
import type { Context } from "../../../context.ts";
import { ApiError, notForBots } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { accessAdministration, accessOwnership, accessUserById, accessUserForUpdate } from "../users/access.ts";
import { createPersonalKey, listApiKeys, renameApiKey, revokeApiKey, toKeyObject } from "./api-keys.ts";

const noSuchKey = () => new ApiError("API key does not exist.", { status: 404 });

async function listKeys(ctx: Context, user: User, { id, is_bot }: Pick<User, "id" | "is_bot">) {
  const holder = { id, is_bot, realm_id: user.realm_id };
  // What this node has not recorded yet, other requests of this client among it.
  await ctx.sessions.keyUses.record();
  const rows = await listApiKeys(ctx.db, holder);
  return rows.map((row) => toKeyObject(row, holder, user.credential));
}

export const keyEndpoints: BoundEndpoint[] = [
  handle(api.getApiKeys, async ({ ctx, user }) => ({
    api_keys: await listKeys(ctx, user, user),
    available_scopes: describeScopes(user.role <= roles.administrator),
  })),

  handle(api.createApiKey, async ({ ctx, user, params, request }) => {
    // A bot's owner manages its key.
    if (user.is_bot) throw notForBots();
    const { key, row } = await transaction(ctx.db, "create API key", (tx) =>
      createPersonalKey(tx, user, request.clientName, params),
    );
    return { ...toKeyObject(row, user, user.credential), api_key: key };
  }),

  handle(api.updateApiKey, async ({ ctx, user, params: { key_id, name }, request }) => {
    if (request.unsupported.some((parameter) => parameter === "scopes" || parameter === "expires_at"))
      throw new ApiError("The scopes and the end of an API key cannot be changed. Create another key instead.");
    const isThere = await transaction(ctx.db, "rename API key", (tx) => renameApiKey(tx, user, key_id, name));
    if (!isThere) throw noSuchKey();
    return {};
  }),

  handle(api.deleteApiKey, async ({ ctx, user, params: { key_id } }) => {
    if (user.is_bot) throw notForBots();
    const isThere = await revoke(ctx, "revoke API key", (tx) => revokeApiKey(tx, user, key_id));
    if (!isThere) throw noSuchKey();
    return {};
  }),

  handle(api.getUserApiKeys, async ({ ctx, user, params: { user_id } }) => {
    accessAdministration(user);
    const account = await accessUserById(ctx.db, user, user_id);
    return { api_keys: await listKeys(ctx, user, account) };
  }),

  handle(api.deleteUserApiKey, async ({ ctx, user, params: { user_id, key_id } }) => {
    accessAdministration(user);
    await revoke(ctx, "revoke a user's API key", async (tx) => {
      const account = await accessUserForUpdate(tx, user, user_id);
      accessOwnership(user, account.role);
      if (account.is_bot) throw new ApiError("The key of a bot can only be replaced.");
      if (!(await revokeApiKey(tx, account, key_id))) throw noSuchKey();
    });
    return {};
  }),
];
