import { fetchOwnApiKey, jwtFetchApiKey, regenerateApiKey } from "@skein/api/authentication.ts";
import { notForBots } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, handlePublic, type BoundEndpoint } from "../../../http/handle.ts";
import { accountById } from "../../../identity/account.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { findRealm } from "../../organization/realm/find-realm.ts";
import { toUserObject } from "../users/queries.ts";
import { createDeviceKey, refuseLimitedKey, revokeApiKeys } from "./api-keys.ts";
import { fromAccount } from "./login-limit.ts";
import { authenticateByToken } from "./jwt-login.ts";
import { requirePassword } from "./own-password.ts";
import { issueKey } from "./issue-key.ts";
import { requireSecondFactor } from "../second-factors/sign-in-with-proof.ts";
import { refusePasswords } from "./sign-in-methods.ts";
import { byCaller, lockHead, record } from "../../organization/audit/record.ts";

export const authenticationEndpoints: BoundEndpoint[] = [
  handlePublic(jwtFetchApiKey, async ({ ctx, params: { token, include_profile }, request }) => {
    const realm = await findRealm(ctx.db, request.host);
    const account = await authenticateByToken(ctx, realm, token);
    const api_key = await issueKey(ctx, account, request);
    const response = { api_key, email: account.delivery_email };
    const user = include_profile ? await accountById(ctx.db, account.id) : undefined;
    const presentation = { host: realmHost(ctx.config, realm), client_gravatar: false };
    return user ? { ...response, user: toUserObject(user, user, presentation) } : response;
  }),

  handle(fetchOwnApiKey, async ({ ctx, user, params: { password, second_factor_code: code, passkey }, request }) => {
    refusePasswords(user.realm);
    await requirePassword(ctx, user, password, "Password is incorrect.");
    const known = { ...user, attemptSource: fromAccount };
    const account = await requireSecondFactor(ctx, user.realm, known, { code, passkey }, request, 400);
    return {
      api_key: await issueKey(ctx, account, request),
      email: user.delivery_email,
    };
  }),

  handle(regenerateApiKey, async ({ ctx, user, request }) => {
    // A bot's owner manages its key.
    if (user.is_bot) throw notForBots();
    refuseLimitedKey(user);
    const api_key = await revoke(ctx, "regenerate API key", async (tx) => {
      await lockHead(tx, user.realm_id);
      await revokeApiKeys(tx, user);
      const { key, row } = await createDeviceKey(tx, user, request.clientName);
      await record(tx, user.realm_id, byCaller(user, request), {
        action: "api_key.regenerate",
        target: { kind: "api_key", id: row.id },
        after: { name: request.clientName },
      });
      return key;
    });
    return { api_key };
  }),
];
