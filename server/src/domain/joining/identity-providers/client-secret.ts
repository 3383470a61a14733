/** The secret that an organization shares with its identity provider, as it is stored. */
import type { SecretBox } from "../../../platform/secret-box.ts";
import type { ProviderRow } from "./queries.ts";

export const clientSecretPurpose = (realmId: number): string => `identity provider of organization ${realmId}`;

/** Empty for a public client. */
export const sealClientSecret = (box: SecretBox, realmId: number, secret: string): string =>
  secret === "" ? "" : box.seal(secret, clientSecretPurpose(realmId));

/** Undefined if the server's secret has changed since. */
export const openClientSecret = (box: SecretBox, row: ProviderRow): string | undefined =>
  row.sealed_client_secret === "" ? "" : box.open(row.sealed_client_secret, clientSecretPurpose(row.realm_id));
