/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../realm-icon.ts";
import type { Route } from "../route.ts";

export const getRealmIcon: Route<typeof declared.getRealmIcon> = { method: "GET", path: "/realm/icon", texts: [] };
export const getRealmLogo: Route<typeof declared.getRealmLogo> = { method: "GET", path: "/realm/logo", texts: [] };
export const removeRealmIcon: Route<typeof declared.removeRealmIcon> = {
  method: "DELETE",
  path: "/realm/icon",
  texts: [],
};
export const removeRealmLogo: Route<typeof declared.removeRealmLogo> = {
  method: "DELETE",
  path: "/realm/logo",
  texts: [],
};
export const uploadRealmIcon: Route<typeof declared.uploadRealmIcon> = {
  method: "POST",
  path: "/realm/icon",
  texts: [],
};
export const uploadRealmLogo: Route<typeof declared.uploadRealmLogo> = {
  method: "POST",
  path: "/realm/logo",
  texts: [],
};
