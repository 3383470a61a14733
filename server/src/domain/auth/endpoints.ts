import { fetchApiKey, fetchOwnApiKey, jwtFetchApiKey, regenerateApiKey } from "@skein/api/authentication.ts";
import type { Context } from "../../context.ts";
import { notForBots } from "../../errors.ts";
import { revoke } from "../../events/revoke.ts";
import { handle, handlePublic, type BoundEndpoint } from "../../http/handle.ts";
import { accountById } from "../../http/sessions.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { realmHost } from "../realm/address.ts";
import { findRealm } from "../realm/find-realm.ts";
import { toUserObject } from "../users/queries.ts";
import { createApiKey, revokeApiKeys } from "./api-keys.ts";
import { proveByToken } from "./jwt-login.ts";
import { demandPassword } from "./own-password.ts";
import { clearTries, proveAccount, type ProvenAccount } from "./password-login.ts";

const makeKey = (ctx: Context, account: ProvenAccount, clientName: string): Promise<string> =>
  transaction(ctx.db, "fetch API key", async (tx) => {
    await clearTries(tx, account);
    return createApiKey(tx, account, clientName);
  });

export const authenticationEndpoints: BoundEndpoint[] = [
  handlePublic(fetchApiKey, async ({ ctx, params: { username, password }, request }) => {
    const realm = await findRealm(ctx.db, request.host);
    const account = await proveAccount(ctx, realm, username, password);
    const api_key = await makeKey(ctx, account, request.clientName);
    return { api_key, email: account.delivery_email, user_id: account.id };
  }),

  handlePublic(jwtFetchApiKey, async ({ ctx, params: { token, include_profile }, request }) => {
    const realm = await findRealm(ctx.db, request.host);
    const account = await proveByToken(ctx, realm, token);
    const api_key = await makeKey(ctx, account, request.clientName);
    const answer = { api_key, email: account.delivery_email };
    const user = include_profile ? await accountById(ctx.db, account.id) : undefined;
    const how = { host: realmHost(ctx.config, realm), client_gravatar: false };
    return user ? { ...answer, user: toUserObject(user, user, how) } : answer;
  }),

  handle(fetchOwnApiKey, async ({ ctx, user, params: { password }, request }) => {
    await demandPassword(ctx, user, password, "Password is incorrect.");
    return { api_key: await makeKey(ctx, user, request.clientName), email: user.delivery_email };
  }),

  handle(regenerateApiKey, async ({ ctx, user, request }) => {
    // A bot's key is its owner's business, who is shown it.
    if (user.is_bot) throw notForBots();
    const api_key = await revoke(ctx, "regenerate API key", async (tx) => {
      await revokeApiKeys(tx, user);
      return createApiKey(tx, user, request.clientName);
    });
    return { api_key };
  }),
];
