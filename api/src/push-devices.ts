/** Devices that receive push notifications: phones, by their vendors' tokens, and browsers. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";

const area = "Notifications";
const token = z.string().describe("The token that the device's push service issued to the app.");

export const addApnsToken = endpoint({
  operation: "add-apns-token",
  method: "POST",
  path: "/users/me/apns_device_token",
  auth: "user",
  scope: "account",
  area,
  summary: "Register an iOS device",
  description: "Send the caller's notifications to an iOS device. Registering it again has no effect.",
  params: { token, appid: z.string().describe("The app that is registered: its bundle identifier.") },
  returns: {},
});

export const removeApnsToken = endpoint({
  operation: "remove-apns-token",
  method: "DELETE",
  path: "/users/me/apns_device_token",
  auth: "user",
  scope: "account",
  area,
  summary: "Unregister an iOS device",
  description: "Stop sending the caller's notifications to this iOS device.",
  params: { token },
  returns: {},
});

export const addFcmToken = endpoint({
  operation: "add-fcm-token",
  method: "POST",
  path: "/users/me/android_gcm_reg_id",
  auth: "user",
  scope: "account",
  area,
  summary: "Register an Android device",
  description: "Send the caller's notifications to an Android device. Registering it again has no effect.",
  params: { token },
  returns: {},
});

export const removeFcmToken = endpoint({
  operation: "remove-fcm-token",
  method: "DELETE",
  path: "/users/me/android_gcm_reg_id",
  auth: "user",
  scope: "account",
  area,
  summary: "Unregister an Android device",
  description: "Stop sending the caller's notifications to this Android device.",
  params: { token },
  returns: {},
});

export const testMobileNotification = endpoint({
  operation: "test-notify",
  method: "POST",
  path: "/mobile_push/test_notification",
  auth: "user",
  scope: "account",
  area,
  summary: "Send a test notification to mobile devices",
  description: "Find out whether notifications reach one of the caller's mobile devices, or all of them.",
  params: { token: z.string().optional().describe("The device; all of the caller's when it is left out.") },
  returns: {},
});

const browserEndpoint = z
  .string()
  .describe("The address at the browser's push service: `endpoint` of its subscription.");

export const getWebPushKey = endpoint({
  operation: "get-web-push-key",
  method: "GET",
  path: "/web_push/key",
  auth: "user",
  scope: "account",
  area,
  summary: "Get the key browsers subscribe with",
  description:
    "The server's public VAPID key, which a browser needs to subscribe to notifications. A part of Skein's own: other " +
    "servers of the protocol do not have it.",
  params: {},
  returns: {
    public_key: z
      .string()
      .nullable()
      .describe(
        "65 bytes in URL-safe Base64, as `applicationServerKey` takes it; null when browsers cannot be notified.",
      ),
  },
});

export const addWebPushSubscription = endpoint({
  operation: "add-web-push-subscription",
  method: "POST",
  path: "/users/me/web_push_subscriptions",
  auth: "user",
  scope: "account",
  area,
  summary: "Register a browser",
  description:
    "Have the caller's notifications shown by a browser that has subscribed. One that was registered for somebody else " +
    "is theirs no longer. A part of Skein's own: other servers of the protocol do not have it.",
  params: {
    endpoint: browserEndpoint,
    p256dh: z.string().describe("The subscription's public key, in URL-safe Base64."),
    auth: z.string().describe("The subscription's shared secret, in URL-safe Base64."),
  },
  returns: {},
});

export const removeWebPushSubscription = endpoint({
  operation: "remove-web-push-subscription",
  method: "DELETE",
  path: "/users/me/web_push_subscriptions",
  auth: "user",
  scope: "account",
  area,
  summary: "Unregister a browser",
  description:
    "Show the caller's notifications in this browser no longer. A part of Skein's own: other servers of the protocol do " +
    "not have it.",
  params: { endpoint: browserEndpoint },
  returns: {},
});

export const testWebNotification = endpoint({
  operation: "test-web-push",
  method: "POST",
  path: "/web_push/test_notification",
  auth: "user",
  scope: "account",
  area,
  summary: "Send a test notification to a browser",
  description:
    "Find out whether notifications reach a browser of the caller's. A part of Skein's own: other servers of the " +
    "protocol do not have it.",
  params: { endpoint: browserEndpoint },
  returns: {},
});

export const endpoints = [
  addApnsToken,
  removeApnsToken,
  addFcmToken,
  removeFcmToken,
  testMobileNotification,
  getWebPushKey,
  addWebPushSubscription,
  removeWebPushSubscription,
  testWebNotification,
];
