/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../navigation-views.ts";
import type { Route } from "../route.ts";

export const addNavigationView: Route<typeof declared.addNavigationView> = {
  method: "POST",
  path: "/navigation_views",
  texts: ["fragment", "name"],
};
export const editNavigationView: Route<typeof declared.editNavigationView> = {
  method: "PATCH",
  path: "/navigation_views/{fragment}",
  texts: ["fragment", "name"],
};
export const getNavigationViews: Route<typeof declared.getNavigationViews> = {
  method: "GET",
  path: "/navigation_views",
  texts: [],
};
export const removeNavigationView: Route<typeof declared.removeNavigationView> = {
  method: "DELETE",
  path: "/navigation_views/{fragment}",
  texts: ["fragment"],
};
