/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../realm-domains.ts";
import type { Route } from "../route.ts";

export const addRealmDomain: Route<typeof declared.addRealmDomain> = {
  method: "POST",
  path: "/realm/domains",
  texts: [],
};
export const getRealmDomains: Route<typeof declared.getRealmDomains> = {
  method: "GET",
  path: "/realm/domains",
  texts: [],
};
export const removeRealmDomain: Route<typeof declared.removeRealmDomain> = {
  method: "DELETE",
  path: "/realm/domains/{domain}",
  texts: ["domain"],
};
export const updateRealmDomain: Route<typeof declared.updateRealmDomain> = {
  method: "PATCH",
  path: "/realm/domains/{domain}",
  texts: ["domain"],
};
