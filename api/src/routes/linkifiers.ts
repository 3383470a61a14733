/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../linkifiers.ts";
import type { Route } from "../route.ts";

export const addLinkifier: Route<typeof declared.addLinkifier> = {
  method: "POST",
  path: "/realm/filters",
  texts: ["pattern", "url_template"],
};
export const getLinkifiers: Route<typeof declared.getLinkifiers> = {
  method: "GET",
  path: "/realm/linkifiers",
  texts: [],
};
export const removeLinkifier: Route<typeof declared.removeLinkifier> = {
  method: "DELETE",
  path: "/realm/filters/{filter_id}",
  texts: [],
};
export const reorderLinkifiers: Route<typeof declared.reorderLinkifiers> = {
  method: "PATCH",
  path: "/realm/linkifiers",
  texts: [],
};
export const updateLinkifier: Route<typeof declared.updateLinkifier> = {
  method: "PATCH",
  path: "/realm/filters/{filter_id}",
  texts: ["pattern", "url_template"],
};
