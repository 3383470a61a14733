import type { IdentityProvider } from "@skein/api/identity-providers.ts";
import type { Selectable } from "kysely";
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { IdentityProvidersTable } from "../../../platform/db/schema.ts";

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

export type ProviderKind = IdentityProvider["kind"];
export const kindOf = (row: Pick<ProviderRow, "kind">): ProviderKind => row.kind as ProviderKind; // actions.ts stores no other

export const findProvider = async (
  db: Db,
  realmId: number,
  kind: ProviderKind,
  key: string,
): Promise<ProviderRow | undefined> =>
  isProviderKey(key)
    ? db
        .selectFrom("identity_providers")
        .selectAll()
        .where("realm_id", "=", realmId)
        .where("kind", "=", kind)
        .where("key", "=", key)
        .executeTakeFirst()
    : undefined;

/** Where people begin. */
export const loginPath = ({ kind, key }: Pick<ProviderRow, "kind" | "key">): string =>
  `/accounts/login/social/${kind}/${key}`;
export const signupPath = ({ kind, key }: Pick<ProviderRow, "kind" | "key">): string =>
  `/accounts/register/social/${kind}/${key}`;

/** Paths of an OpenID Connect provider, by its key. */
export const callbackPath = (key: string): string => `/complete/oidc/${key}`;
export const logoutPath = (key: string): string => `${callbackPath(key)}/backchannel-logout`;

/** Names of groups at the provider, and the ids of user groups. */
export const groupMapOf = (row: Pick<ProviderRow, "group_map">): Record<string, number> =>
  row.group_map as Record<string, number>; // actions.ts stores nothing else
