/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../push-devices.ts";
import type { Route } from "../route.ts";

export const addApnsToken: Route<typeof declared.addApnsToken> = {
  method: "POST",
  path: "/users/me/apns_device_token",
  texts: ["token", "appid"],
};
export const addFcmToken: Route<typeof declared.addFcmToken> = {
  method: "POST",
  path: "/users/me/android_gcm_reg_id",
  texts: ["token"],
};
export const addWebPushSubscription: Route<typeof declared.addWebPushSubscription> = {
  method: "POST",
  path: "/users/me/web_push_subscriptions",
  texts: ["endpoint", "p256dh", "auth"],
};
export const getWebPushKey: Route<typeof declared.getWebPushKey> = { method: "GET", path: "/web_push/key", texts: [] };
export const removeApnsToken: Route<typeof declared.removeApnsToken> = {
  method: "DELETE",
  path: "/users/me/apns_device_token",
  texts: ["token"],
};
export const removeFcmToken: Route<typeof declared.removeFcmToken> = {
  method: "DELETE",
  path: "/users/me/android_gcm_reg_id",
  texts: ["token"],
};
export const removeWebPushSubscription: Route<typeof declared.removeWebPushSubscription> = {
  method: "DELETE",
  path: "/users/me/web_push_subscriptions",
  texts: ["endpoint"],
};
export const testMobileNotification: Route<typeof declared.testMobileNotification> = {
  method: "POST",
  path: "/mobile_push/test_notification",
  texts: ["token"],
};
export const testWebNotification: Route<typeof declared.testWebNotification> = {
  method: "POST",
  path: "/web_push/test_notification",
  texts: ["endpoint"],
};
