import { fetchApiKey, regenerateApiKey } from "@skein/api/authentication.ts";
import { ApiError, notForBots } from "../../errors.ts";
import { revoke } from "../../events/revoke.ts";
import { handle, handlePublic, type BoundEndpoint } from "../../http/handle.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findRealm } from "../realm/find-realm.ts";
import { createApiKey, revokeApiKeys } from "./api-keys.ts";
import { clearLoginTries, countLoginTry } from "./login-limit.ts";
import { isPassword } from "./passwords.ts";

const refused = (message: string, code: string) => new ApiError(message, { code, status: 401 });

export const authenticationEndpoints: BoundEndpoint[] = [
  handlePublic(fetchApiKey, async ({ ctx, params, request }) => {
    const { username, password } = params;
    const realm = await findRealm(ctx.db, request.host);
    if (realm.deactivated) throw refused("This organization has been deactivated", "REALM_DEACTIVATED");
    if (ctx.config.rateLimits) await countLoginTry(ctx.db, realm.id, username);
    const account = await ctx.db
      .selectFrom("users")
      .select(["id", "realm_id", "delivery_email", "password_hash", "is_active"])
      .where("realm_id", "=", realm.id)
      .where((where) => where(where.fn("lower", ["delivery_email"]), "=", username.toLowerCase()))
      .executeTakeFirst();
    // An unknown account and a wrong password must not be told apart, neither by the answer nor by its time.
    const isRight = await isPassword(account?.password_hash, password);
    if (!account || !isRight) throw refused("Your username or password is incorrect", "AUTHENTICATION_FAILED");
    if (!account.is_active) throw refused("Account is deactivated", "USER_DEACTIVATED");
    const api_key = await transaction(ctx.db, "fetch API key", async (tx) => {
      await clearLoginTries(tx, realm.id, username);
      return createApiKey(tx, account, request.clientName);
    });
    return { api_key, email: account.delivery_email, user_id: account.id };
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
