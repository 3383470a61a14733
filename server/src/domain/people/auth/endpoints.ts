import { fetchApiKey, fetchOwnApiKey, jwtFetchApiKey, regenerateApiKey } from "@skein/api/authentication.ts";
import type { Context } from "../../../context.ts";
import { notForBots } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, handlePublic, type BoundEndpoint, type RequestInfo } from "../../../http/handle.ts";
import { accountById } from "../../../identity/account.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { findRealm } from "../../organization/realm/find-realm.ts";
import { toUserObject } from "../users/queries.ts";
import { createApiKey, refuseLimitedKey, revokeApiKeys } from "./api-keys.ts";
import { fromAccount } from "./login-limit.ts";
import { authenticateByToken } from "./jwt-login.ts";
import { requirePassword } from "./own-password.ts";
import { clearAttempts, authenticateByPassword, type AuthenticatedAccount } from "./password-login.ts";
import { mailNewApp } from "./sign-in-mail.ts";

const createKey = (
  ctx: Context,
  account: AuthenticatedAccount,
  { clientName, ip }: Pick<RequestInfo, "clientName" | "ip">,
): Promise<string> =>
  transaction(ctx.db, "fetch API key", async (tx) => {
    await clearAttempts(tx, account);
    await mailNewApp(tx, ctx, account, { client: clientName, ip });
    return createApiKey(tx, account, clientName);
  });

export const authenticationEndpoints: BoundEndpoint[] = [
  handlePublic(fetchApiKey, async ({ ctx, params: { username, password }, request }) => {
    const realm = await findRealm(ctx.db, request.host);
    const account = await authenticateByPassword(ctx, realm, username, password, { network: request.network });
    const api_key = await createKey(ctx, account, request);
    return { api_key, email: account.delivery_email, user_id: account.id };
  }),

  handlePublic(jwtFetchApiKey, async ({ ctx, params: { token, include_profile }, request }) => {
    const realm = await findRealm(ctx.db, request.host);
    const account = await authenticateByToken(ctx, realm, token);
    const api_key = await createKey(ctx, account, request);
    const response = { api_key, email: account.delivery_email };
    const user = include_profile ? await accountById(ctx.db, account.id) : undefined;
    const presentation = { host: realmHost(ctx.config, realm), client_gravatar: false };
    return user ? { ...response, user: toUserObject(user, user, presentation) } : response;
  }),

  handle(fetchOwnApiKey, async ({ ctx, user, params: { password }, request }) => {
    await requirePassword(ctx, user, password, "Password is incorrect.");
    return {
      api_key: await createKey(ctx, { ...user, attemptSource: fromAccount }, request),
      email: user.delivery_email,
    };
  }),

  handle(regenerateApiKey, async ({ ctx, user, request }) => {
    // A bot's owner manages its key.
    if (user.is_bot) throw notForBots();
    refuseLimitedKey(user);
    const api_key = await revoke(ctx, "regenerate API key", async (tx) => {
      await revokeApiKeys(tx, user);
      return createApiKey(tx, user, request.clientName);
    });
    return { api_key };
  }),
];
