import type { IdentityProvider } from "@skein/api/identity-providers.ts";
import type { Selectable } from "kysely";
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { IdentityProvidersTable } from "../../../platform/db/schema.ts";
import { toTimestamp } from "../../base/timestamp.ts";

export type ProviderRow = Selectable<IdentityProvidersTable>;

export const listProviders = (db: Db, realmId: number): Promise<ProviderRow[]> =>
  db.selectFrom("identity_providers").selectAll().where("realm_id", "=", realmId).orderBy("id").execute();

/** The providers with which people can sign in now. */
export async function listUsableProviders(
  db: Db,
  { id, only_identity_provider_id: only }: Pick<Realm, "id" | "only_identity_provider_id">,
): Promise<ProviderRow[]> {
  const rows = await listProviders(db, id);
  return rows.filter((row) => row.is_enabled && (only === null || only === row.id));
}

export const isProviderKey = (text: string): boolean => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);

export const findProvider = async (db: Db, realmId: number, key: string): Promise<ProviderRow | undefined> =>
  isProviderKey(key)
    ? db
        .selectFrom("identity_providers")
        .selectAll()
        .where("realm_id", "=", realmId)
        .where("key", "=", key)
        .executeTakeFirst()
    : undefined;

/** Paths of a provider, by its key. */
export const loginPath = (key: string): string => `/accounts/login/social/oidc/${key}`;
export const signupPath = (key: string): string => `/accounts/register/social/oidc/${key}`;
export const callbackPath = (key: string): string => `/complete/oidc/${key}`;
export const logoutPath = (key: string): string => `${callbackPath(key)}/backchannel-logout`;

/** Names of groups at the provider, and the ids of user groups. */
export const groupMapOf = (row: Pick<ProviderRow, "group_map">): Record<string, number> =>
  row.group_map as Record<string, number>; // actions.ts stores nothing else

/** Never with the secret. */
export const toProviderObject = (
  row: ProviderRow,
  realm: Pick<Realm, "only_identity_provider_id">,
  siteUrl: string,
): IdentityProvider => ({
  id: row.id,
  kind: "oidc",
  key: row.key,
  name: row.name,
  issuer: row.issuer,
  client_id: row.client_id,
  has_client_secret: row.sealed_client_secret !== "",
  scopes: row.scopes,
  allowed_domains: row.allowed_domains,
  creates_accounts: row.creates_accounts,
  groups_claim: row.groups_claim,
  group_map: groupMapOf(row),
  is_enabled: row.is_enabled,
  is_only: realm.only_identity_provider_id === row.id,
  redirect_uri: `${siteUrl}${callbackPath(row.key)}/`,
  backchannel_logout_uri: `${siteUrl}${logoutPath(row.key)}`,
  created_at: toTimestamp(row.created_at),
});
