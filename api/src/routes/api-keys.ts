/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../api-keys.ts";
import type { Route } from "../route.ts";

export const createApiKey: Route<typeof declared.createApiKey> = {
  method: "POST",
  path: "/users/me/api_keys",
  texts: ["name"],
};
export const deleteApiKey: Route<typeof declared.deleteApiKey> = {
  method: "DELETE",
  path: "/users/me/api_keys/{key_id}",
  texts: [],
};
export const deleteUserApiKey: Route<typeof declared.deleteUserApiKey> = {
  method: "DELETE",
  path: "/users/{user_id}/api_keys/{key_id}",
  texts: [],
};
export const getApiKeys: Route<typeof declared.getApiKeys> = { method: "GET", path: "/users/me/api_keys", texts: [] };
export const getUserApiKeys: Route<typeof declared.getUserApiKeys> = {
  method: "GET",
  path: "/users/{user_id}/api_keys",
  texts: [],
};
export const updateApiKey: Route<typeof declared.updateApiKey> = {
  method: "PATCH",
  path: "/users/me/api_keys/{key_id}",
  texts: ["name"],
};
