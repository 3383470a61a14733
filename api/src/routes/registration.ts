/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../registration.ts";
import type { Route } from "../route.ts";

export const deleteQueue: Route<typeof declared.deleteQueue> = {
  method: "DELETE",
  path: "/events",
  texts: ["queue_id"],
};
export const getEvents: Route<typeof declared.getEvents> = { method: "GET", path: "/events", texts: ["queue_id"] };
export const register: Route<typeof declared.register> = { method: "POST", path: "/register", texts: [] };
