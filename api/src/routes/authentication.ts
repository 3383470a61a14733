/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../authentication.ts";
import type { Route } from "../route.ts";

export const fetchApiKey: Route<typeof declared.fetchApiKey> = {
  method: "POST",
  path: "/fetch_api_key",
  texts: ["username", "password", "second_factor_code"],
};
export const fetchOwnApiKey: Route<typeof declared.fetchOwnApiKey> = {
  method: "POST",
  path: "/fetch_api_key",
  texts: ["password", "second_factor_code"],
};
export const jwtFetchApiKey: Route<typeof declared.jwtFetchApiKey> = {
  method: "POST",
  path: "/jwt/fetch_api_key",
  texts: ["token"],
};
export const regenerateApiKey: Route<typeof declared.regenerateApiKey> = {
  method: "POST",
  path: "/users/me/api_key/regenerate",
  texts: [],
};
