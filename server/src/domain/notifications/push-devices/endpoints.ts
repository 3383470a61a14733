import * as api from "@skein/api/push-devices.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import type { Context } from "../../../context.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { vapidPublicKey } from "../../../platform/vapid.ts";
import {
  accessOwnDevices,
  addDevice,
  checkAppId,
  checkSubscription,
  checkToken,
  removeDevice,
  type DeviceKind,
} from "./devices.ts";
import { testBrowser, testMobileDevices } from "./test-notification.ts";
import { hasWebPush } from "./web-push.ts";

async function remove(ctx: Context, user: User, kind: DeviceKind, token: string): Promise<Record<string, never>> {
  accessOwnDevices(user);
  checkToken(kind, token);
  await removeDevice(ctx.db, user, kind, token);
  return {};
}

export const pushDeviceEndpoints: BoundEndpoint[] = [
  handle(api.addApnsToken, async ({ ctx, user, params: { token, appid }, request }) => {
    accessOwnDevices(user);
    checkToken("apns", token);
    checkAppId(appid);
    await transaction(ctx.db, "add device", (tx) =>
      addDevice(tx, ctx.secretBox, user, request.credentials, { kind: "apns", token, app_id: appid }),
    );
    return {};
  }),
  handle(api.removeApnsToken, ({ ctx, user, params }) => remove(ctx, user, "apns", params.token)),

  handle(api.addFcmToken, async ({ ctx, user, params: { token }, request }) => {
    accessOwnDevices(user);
    checkToken("fcm", token);
    await transaction(ctx.db, "add device", (tx) =>
      addDevice(tx, ctx.secretBox, user, request.credentials, { kind: "fcm", token }),
    );
    return {};
  }),
  handle(api.removeFcmToken, ({ ctx, user, params }) => remove(ctx, user, "fcm", params.token)),

  handle(api.testMobileNotification, async ({ ctx, user, params }) => {
    accessOwnDevices(user);
    await testMobileDevices(ctx, user, params.token);
    return {};
  }),

  handle(api.getWebPushKey, async ({ ctx: { config } }) => ({
    public_key: hasWebPush(config) ? vapidPublicKey(config.vapidKey) : null,
  })),

  handle(api.addWebPushSubscription, async ({ ctx, user, params: { endpoint, p256dh, auth }, request }) => {
    accessOwnDevices(user);
    checkSubscription({ endpoint, p256dh, auth });
    const browser = { kind: "web", token: endpoint, p256dh, auth } as const;
    await transaction(ctx.db, "add device", (tx) => addDevice(tx, ctx.secretBox, user, request.credentials, browser));
    return {};
  }),
  handle(api.removeWebPushSubscription, ({ ctx, user, params }) => remove(ctx, user, "web", params.endpoint)),

  handle(api.testWebNotification, async ({ ctx, user, params }) => {
    accessOwnDevices(user);
    await testBrowser(ctx, user, params.endpoint);
    return {};
  }),
];
