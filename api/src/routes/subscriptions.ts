/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../subscriptions.ts";
import type { Route } from "../route.ts";

export const getSubscriptionStatus: Route<typeof declared.getSubscriptionStatus> = {
  method: "GET",
  path: "/users/{user_id}/subscriptions/{stream_id}",
  texts: [],
};
export const getSubscriptions: Route<typeof declared.getSubscriptions> = {
  method: "GET",
  path: "/users/me/subscriptions",
  texts: [],
};
export const getUserChannels: Route<typeof declared.getUserChannels> = {
  method: "GET",
  path: "/users/{user_id}/channels",
  texts: [],
};
export const subscribe: Route<typeof declared.subscribe> = {
  method: "POST",
  path: "/users/me/subscriptions",
  texts: [],
};
export const unsubscribe: Route<typeof declared.unsubscribe> = {
  method: "DELETE",
  path: "/users/me/subscriptions",
  texts: [],
};
export const updateSubscriptionSetting: Route<typeof declared.updateSubscriptionSetting> = {
  method: "PATCH",
  path: "/users/me/subscriptions/{stream_id}",
  texts: ["property"],
};
export const updateSubscriptionSettings: Route<typeof declared.updateSubscriptionSettings> = {
  method: "POST",
  path: "/users/me/subscriptions/properties",
  texts: [],
};
export const updateSubscriptions: Route<typeof declared.updateSubscriptions> = {
  method: "PATCH",
  path: "/users/me/subscriptions",
  texts: [],
};
