/** Signing in without a password, on development servers only. */
import { devFetchApiKey, devListUsers } from "@skein/api/development.ts";
import { roles } from "@skein/api/users.ts";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { handlePublic, type BoundEndpoint } from "../../http/handle.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { createDeviceKey } from "../people/auth/api-keys.ts";
import { countSignIn } from "../people/auth/count-sign-in.ts";
import { authenticationFailed, realmDeactivated } from "../people/auth/password-login.ts";
import { realmUrl } from "../organization/realm/address.ts";
import { findRealm } from "../organization/realm/find-realm.ts";
import { noteSignIn } from "../people/auth/note-sign-in.ts";

function accessDevelopment({ config }: Context): void {
  if (!config.development) throw new ApiError("Endpoint not available in production.");
}

const listPeople = ({ db }: Context, realmId: number) =>
  db
    .selectFrom("users")
    .select(["id", "realm_id", "delivery_email", "full_name", "role"])
    .where("realm_id", "=", realmId)
    .where("is_active", "=", true)
    .where("is_bot", "=", false)
    .orderBy("id");

export const developmentEndpoints: BoundEndpoint[] = [
  handlePublic(devFetchApiKey, async ({ ctx, params, request }) => {
    accessDevelopment(ctx);
    const realm = await findRealm(ctx.db, request.host);
    if (realm.deactivated) throw realmDeactivated();
    const account = await countSignIn(ctx, "development", async () => {
      const found = await listPeople(ctx, realm.id)
        .where((where) => where(where.fn("lower", ["delivery_email"]), "=", params.username.toLowerCase()))
        .executeTakeFirst();
      if (!found) throw authenticationFailed();
      return found;
    });
    const api_key = await transaction(ctx.db, "fetch API key for development", async (tx) => {
      const { key, row } = await createDeviceKey(tx, account, request.clientName);
      const credential = { kind: "api_key", id: row.id } as const;
      await noteSignIn(tx, account, request, { method: "development", credential });
      return key;
    });
    return { api_key, email: account.delivery_email, user_id: account.id };
  }),

  handlePublic(devListUsers, async ({ ctx, request }) => {
    accessDevelopment(ctx);
    const realm = await findRealm(ctx.db, request.host);
    const people = await listPeople(ctx, realm.id).execute();
    const realm_url = realmUrl(ctx.config, realm, request.origin);
    const listUsers = (isAdministrator: boolean) =>
      people
        .filter(({ role }) => role <= roles.administrator === isAdministrator)
        .map(({ delivery_email, full_name }) => ({ email: delivery_email, full_name, realm_url }));
    return { direct_admins: listUsers(true), direct_users: listUsers(false) };
  }),
];
