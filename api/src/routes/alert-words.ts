/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../alert-words.ts";
import type { Route } from "../route.ts";

export const addAlertWords: Route<typeof declared.addAlertWords> = {
  method: "POST",
  path: "/users/me/alert_words",
  texts: [],
};
export const getAlertWords: Route<typeof declared.getAlertWords> = {
  method: "GET",
  path: "/users/me/alert_words",
  texts: [],
};
export const removeAlertWords: Route<typeof declared.removeAlertWords> = {
  method: "DELETE",
  path: "/users/me/alert_words",
  texts: [],
};
