/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../provisioning.ts";
import type { Route } from "../route.ts";

export const createScimToken: Route<typeof declared.createScimToken> = {
  method: "POST",
  path: "/scim/tokens",
  texts: ["name"],
};
export const deleteScimToken: Route<typeof declared.deleteScimToken> = {
  method: "DELETE",
  path: "/scim/tokens/{token_id}",
  texts: [],
};
export const getScimSettings: Route<typeof declared.getScimSettings> = {
  method: "GET",
  path: "/realm/scim",
  texts: [],
};
export const getScimTokens: Route<typeof declared.getScimTokens> = { method: "GET", path: "/scim/tokens", texts: [] };
export const updateScimSettings: Route<typeof declared.updateScimSettings> = {
  method: "PATCH",
  path: "/realm/scim",
  texts: [],
};
