import * as api from "@skein/api/api-keys.ts";
import { describeScopes } from "@skein/api/scopes.ts";
import { roles } from "@skein/api/users.ts";
import type { Context } from "../../../context.ts";
import { ApiError, notForBots } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { accessAdministration, accessOwnership, accessUserById, accessUserForUpdate } from "../users/access.ts";
import { createPersonalKey, listApiKeys, renameApiKey, revokeApiKey, toKeyObject } from "./api-keys.ts";
import type { AuditAction } from "@skein/api/audit-log.ts";
import type { Caller } from "../../organization/audit/audited.ts";
import { byCaller, lockHead, record } from "../../organization/audit/record.ts";

const noSuchKey = () => new ApiError("API key does not exist.", { status: 404 });

async function listKeys(ctx: Context, user: User, { id, is_bot }: Pick<User, "id" | "is_bot">) {
  const holder = { id, is_bot, realm_id: user.realm_id };
  // What this node has not recorded yet, other requests of this client among it.
  await ctx.sessions.keyUses.record();
  const rows = await listApiKeys(ctx.db, holder);
  return rows.map((row) => toKeyObject(row, holder, user.credential));
}

const recordKey = (
  tx: Tx,
  { user, request }: Caller,
  action: AuditAction,
  id: number,
  fields: { before?: Record<string, unknown>; after?: Record<string, unknown> },
): Promise<void> =>
  record(tx, user.realm_id, byCaller(user, request), { action, target: { kind: "api_key", id }, ...fields });

export const keyEndpoints: BoundEndpoint[] = [
  handle(api.getApiKeys, async ({ ctx, user }) => ({
    api_keys: await listKeys(ctx, user, user),
    available_scopes: describeScopes(user.role <= roles.administrator),
  })),

  handle(api.createApiKey, async ({ ctx, user, params, request }) => {
    // A bot's owner manages its key.
    if (user.is_bot) throw notForBots();
    const { key, row } = await transaction(ctx.db, "create API key", async (tx) => {
      await lockHead(tx, user.realm_id);
      const made = await createPersonalKey(tx, user, request.clientName, params);
      const { name, scopes, expires_at } = toKeyObject(made.row, user);
      await recordKey(tx, { user, request }, "api_key.create", made.row.id, { after: { name, scopes, expires_at } });
      return made;
    });
    return { ...toKeyObject(row, user, user.credential), api_key: key };
  }),

  handle(api.updateApiKey, async ({ ctx, user, params: { key_id, name }, request }) => {
    if (request.unsupported.some((parameter) => parameter === "scopes" || parameter === "expires_at"))
      throw new ApiError("The scopes and the end of an API key cannot be changed. Create another key instead.");
    await transaction(ctx.db, "rename API key", async (tx) => {
      await lockHead(tx, user.realm_id);
      const renamed = await renameApiKey(tx, user, key_id, name);
      if (!renamed) throw noSuchKey();
      if (renamed.before === renamed.after) return;
      await recordKey(tx, { user, request }, "api_key.update", key_id, {
        before: { name: renamed.before },
        after: { name: renamed.after },
      });
    });
    return {};
  }),

  handle(api.deleteApiKey, async ({ ctx, user, params: { key_id }, request }) => {
    if (user.is_bot) throw notForBots();
    await revoke(ctx, "revoke API key", async (tx) => {
      await lockHead(tx, user.realm_id);
      const name = await revokeApiKey(tx, user, key_id);
      if (name === undefined) throw noSuchKey();
      await recordKey(tx, { user, request }, "api_key.delete", key_id, { before: { name, user_id: user.id } });
    });
    return {};
  }),

  handle(api.getUserApiKeys, async ({ ctx, user, params: { user_id } }) => {
    accessAdministration(user);
    const account = await accessUserById(ctx.db, user, user_id);
    return { api_keys: await listKeys(ctx, user, account) };
  }),

  handle(api.deleteUserApiKey, async ({ ctx, user, params: { user_id, key_id }, request }) => {
    accessAdministration(user);
    await revoke(ctx, "revoke a user's API key", async (tx) => {
      await lockHead(tx, user.realm_id);
      const account = await accessUserForUpdate(tx, user, user_id);
      accessOwnership(user, account.role);
      if (account.is_bot) throw new ApiError("The key of a bot can only be replaced.");
      const name = await revokeApiKey(tx, account, key_id);
      if (name === undefined) throw noSuchKey();
      await recordKey(tx, { user, request }, "api_key.delete", key_id, { before: { name, user_id } });
    });
    return {};
  }),
];
