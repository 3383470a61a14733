/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../identity-providers.ts";
import type { Route } from "../route.ts";

export const createIdentityProvider: Route<typeof declared.createIdentityProvider> = {
  method: "POST",
  path: "/realm/identity_providers",
  texts: ["key", "kind", "name", "issuer", "client_id", "client_secret", "groups_claim"],
};
export const deleteIdentityProvider: Route<typeof declared.deleteIdentityProvider> = {
  method: "DELETE",
  path: "/realm/identity_providers/{provider_id}",
  texts: [],
};
export const getIdentityProviders: Route<typeof declared.getIdentityProviders> = {
  method: "GET",
  path: "/realm/identity_providers",
  texts: [],
};
export const syncIdentityProvider: Route<typeof declared.syncIdentityProvider> = {
  method: "POST",
  path: "/realm/identity_providers/{provider_id}/sync",
  texts: [],
};
export const testIdentityProvider: Route<typeof declared.testIdentityProvider> = {
  method: "POST",
  path: "/realm/identity_providers/{provider_id}/test",
  texts: [],
};
export const updateIdentityProvider: Route<typeof declared.updateIdentityProvider> = {
  method: "PATCH",
  path: "/realm/identity_providers/{provider_id}",
  texts: ["name", "issuer", "client_id", "client_secret", "groups_claim"],
};
