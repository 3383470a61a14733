/** A provider as clients see it. */
import type { IdentityProvider } from "@skein/api/identity-providers.ts";
import type { Realm } from "../../../identity/account.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { toLdapObject, type SyncResult } from "../ldap/settings.ts";
import { redirectUriOf, toSamlObject } from "../saml/settings.ts";
import { callbackPath, groupMapOf, kindOf, logoutPath, type ProviderRow } from "./queries.ts";

/** Never with the secret. */
export function toProviderObject(
  row: ProviderRow,
  realm: Pick<Realm, "only_identity_provider_id">,
  siteUrl: string,
  lastSync: SyncResult | null = null,
): IdentityProvider {
  const kind = kindOf(row);
  const redirects = { oidc: `${siteUrl}${callbackPath(row.key)}/`, saml: redirectUriOf(siteUrl), ldap: "" };
  return {
    id: row.id,
    kind,
    key: row.key,
    name: row.name,
    issuer: row.issuer,
    client_id: row.client_id,
    has_client_secret: kind === "oidc" && row.sealed_client_secret !== "",
    scopes: row.scopes,
    allowed_domains: row.allowed_domains,
    creates_accounts: row.creates_accounts,
    groups_claim: row.groups_claim,
    group_map: groupMapOf(row),
    is_enabled: row.is_enabled,
    is_only: realm.only_identity_provider_id === row.id,
    redirect_uri: redirects[kind],
    backchannel_logout_uri: kind === "oidc" ? `${siteUrl}${logoutPath(row.key)}` : "",
    saml: kind === "saml" ? toSamlObject(row, siteUrl) : null,
    ldap: kind === "ldap" ? toLdapObject(row, lastSync) : null,
    created_at: toTimestamp(row.created_at),
  };
}
