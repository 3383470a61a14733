import { fetchApiKey, fetchOwnApiKey, regenerateApiKey } from "@skein/api/authentication.ts";
import type { Context } from "../../context.ts";
import { notForBots } from "../../errors.ts";
import { revoke } from "../../events/revoke.ts";
import { handle, handlePublic, type BoundEndpoint } from "../../http/handle.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findRealm } from "../realm/find-realm.ts";
import { createApiKey, revokeApiKeys } from "./api-keys.ts";
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
