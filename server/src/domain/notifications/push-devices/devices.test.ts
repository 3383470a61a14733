import * as api from "@skein/api/push-devices.ts";
import { regenerateApiKey } from "@skein/api/authentication.ts";
import { createBot } from "@skein/api/bots.ts";
import { getServerSettings } from "@skein/api/server-settings.ts";
import { expect, test } from "vitest";
import { startNode } from "../../../../test/nodes.ts";
import { PushService, TestBrowser } from "../../../../test/push-service.ts";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import { hashSecret } from "../../../identity/sessions.ts";
import { accountById } from "../../../identity/account.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addDevice, deviceAddress, sealDeviceAddresses } from "./devices.ts";
import { newVapidKey, readVapidKey, vapidPublicKey } from "../../../platform/vapid.ts";

const refusal = (msg: string, code = "BAD_REQUEST") => ({ result: "error", msg, code });
const apnsToken = "0a1B".repeat(16);

const devices = async (realm: TestRealm) =>
  (
    await realm.ctx.db.selectFrom("push_devices").selectAll().where("realm_id", "=", realm.id).orderBy("id").execute()
  ).map((device) => {
    const { user_id, kind, app_id } = device;
    return { user_id, kind, token: deviceAddress(realm.ctx.secretBox, device), app_id };
  });

test("a phone is registered once, even if repeated, and can be unregistered", async () => {
  const realm = await newRealm();
  const { id: user_id } = realm.admin;
  for (const appid of ["org.example.old", "org.example.app"])
    success(await realm.admin.call(api.addApnsToken, { token: apnsToken, appid }));
  success(await realm.admin.call(api.addFcmToken, { token: "android" }));
  success(await realm.admin.call(api.addFcmToken, { token: "android" }));

  expect(await devices(realm)).toEqual([
    { user_id, kind: "apns", token: apnsToken, app_id: "org.example.app" },
    { user_id, kind: "fcm", token: "android", app_id: null },
  ]);
  success(await realm.admin.call(api.removeApnsToken, { token: apnsToken }));
  success(await realm.admin.call(api.removeFcmToken, { token: "android" }));
  expect(await devices(realm)).toEqual([]);
});

test("a device's address is stored only encrypted", async () => {
  const realm = await newRealm();
  const browser = new TestBrowser(await PushService.start());
  success(await realm.admin.call(api.addWebPushSubscription, browser.subscription));
  success(await realm.admin.call(api.addFcmToken, { token: "the-token-of-a-phone" }));

  const rows = await realm.ctx.db.selectFrom("push_devices").selectAll().where("realm_id", "=", realm.id).execute();

  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toContain(browser.endpoint);
  expect(JSON.stringify(rows)).not.toContain("the-token-of-a-phone");
});

test("addresses stay in plain text while a worker of an earlier release runs, and are encrypted afterwards", async () => {
  const realm = await newRealm();
  const { ctx, admin } = realm;
  const user = await accountById(ctx.db, admin.id);
  if (!user) throw new Error("the account is there");
  const asking = { email: admin.email, keyHash: hashSecret(admin.apiKey) };
  const undone = new Error("nobody else is to see this worker");
  const tokens: string[] = [];
  const opened: (string | undefined)[] = [];

  const trial = transaction(ctx.db, "test", async (tx) => {
    const look = async () => {
      const device = await tx.selectFrom("push_devices").selectAll().where("user_id", "=", user.id).executeTakeFirst();
      tokens.push(device?.token ?? "");
      opened.push(device && deviceAddress(ctx.secretBox, device));
    };
    await tx
      .insertInto("job_workers")
      .values({ id: `earlier-${user.id}` })
      .execute();
    await addDevice(tx, ctx.secretBox, user, asking, { kind: "fcm", token: "phone" });
    await look();
    await sealDeviceAddresses(tx, ctx.secretBox);
    await look();
    await tx.deleteFrom("job_workers").where("id", "=", `earlier-${user.id}`).execute();
    while (await sealDeviceAddresses(tx, ctx.secretBox));
    await look();
    throw undone;
  });

  await expect(trial).rejects.toBe(undone);
  expect(tokens).toEqual(["phone", "phone", "-"]);
  expect(opened).toEqual(["phone", "phone", "phone"]);
});

test("if many requests register the same device at once on two nodes, it exists once", async () => {
  const realm = await newRealm();
  const browser = new TestBrowser(await PushService.start());
  const answers = await Promise.all(
    [0, 1, 0, 1].flatMap((node) => [
      realm.admin.on(node).call(api.addFcmToken, { token: "phone" }),
      realm.admin.on(node).call(api.addWebPushSubscription, browser.subscription),
    ]),
  );
  answers.forEach(success);
  expect(await devices(realm)).toHaveLength(2);
});

test.for<[string, string, Record<string, string>, string]>([
  ["POST", "/users/me/apns_device_token", { token: "", appid: "a" }, "Empty or invalid length token"],
  ["POST", "/users/me/apns_device_token", { token: "a".repeat(4098), appid: "a" }, "Empty or invalid length token"],
  ["POST", "/users/me/apns_device_token", { token: "not hexadecimal", appid: "a" }, "Invalid APNS token"],
  ["POST", "/users/me/apns_device_token", { token: apnsToken, appid: "'; drop" }, "Invalid app ID"],
  ["POST", "/users/me/android_gcm_reg_id", { token: "" }, "Empty or invalid length token"],
  ["DELETE", "/users/me/apns_device_token", { token: "" }, "Empty or invalid length token"],
  ["DELETE", "/users/me/apns_device_token", { token: apnsToken }, "Token does not exist"],
  ["DELETE", "/users/me/android_gcm_reg_id", { token: "unknown" }, "Token does not exist"],
  ["DELETE", "/users/me/web_push_subscriptions", { endpoint: "https://example.com" }, "Token does not exist"],
  ["POST", "/users/me/web_push_subscriptions", { endpoint: "ftp://x", p256dh: "x", auth: "x" }, "Invalid endpoint"],
  ["POST", "/users/me/web_push_subscriptions", { endpoint: "https://x", p256dh: "x", auth: "x" }, "Invalid p256dh"],
])("%s %s %j is refused", async ([method, path, form, msg]) => {
  const realm = await newRealm();
  expect(await realm.admin.request(method as "POST" | "DELETE", path, form)).toEqual(refusal(msg)); // one of these two
});

test("nobody can remove another user's device, and bots have none", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  success(await hamlet.call(api.addFcmToken, { token: "phone" }));
  const elsewhere = await newRealm();

  for (const user of [realm.admin, elsewhere.admin]) {
    expect(await user.call(api.removeFcmToken, { token: "phone" })).toEqual(refusal("Token does not exist"));
    expect(await user.call(api.testMobileNotification, { token: "phone" })).toEqual(
      refusal("Device not recognized", "INVALID_PUSH_DEVICE_TOKEN"),
    );
  }
  const bot = success(await hamlet.call(createBot, { full_name: "bot", short_name: `bot${hamlet.id}` }));
  const credentials = { email: `bot${hamlet.id}-bot@${realm.host}`, apiKey: bot.api_key };
  const [node] = realm.nodes;
  if (!node) throw new Error("a realm has a node");
  expect(await realm.client(node, credentials).call(api.addFcmToken, { token: "phone" })).toEqual(
    refusal("This endpoint does not accept bot requests."),
  );
});

test("a browser belongs to the user who registered it last, without the previous user's notifications", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const browser = new TestBrowser(await PushService.start());
  success(await realm.admin.call(api.addWebPushSubscription, browser.subscription));
  success(await hamlet.call(api.addWebPushSubscription, browser.subscription));

  expect(await devices(realm)).toEqual([{ user_id: hamlet.id, kind: "web", token: browser.endpoint, app_id: null }]);
});

test("a device registered with an API key is removed with the key", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  success(await hamlet.call(api.addFcmToken, { token: "phone" }));
  success(await realm.admin.call(api.addFcmToken, { token: "phone" }));
  success(await hamlet.call(regenerateApiKey, {}));

  expect(await devices(realm)).toEqual([{ user_id: realm.admin.id, kind: "fcm", token: "phone", app_id: null }]);
});

test("a user has at most fifty devices, and the oldest are removed", async () => {
  const realm = await newRealm();
  for (let n = 0; n <= 50; n++) success(await realm.admin.call(api.addFcmToken, { token: `phone ${n}` }));
  const tokens = (await devices(realm)).map(({ token }) => token);
  expect([tokens.length, tokens[0]]).toEqual([50, "phone 1"]);
});

test("without a key and a relay devices can be registered, and clients learn that push is not available", async () => {
  const realm = await newRealm();
  success(await realm.admin.call(api.addFcmToken, { token: "phone" }));

  expect(success(await realm.admin.call(api.getWebPushKey, {})).public_key).toBeNull();
  expect(success(await realm.admin.call(getServerSettings, {})).push_notifications_enabled).toBe(false);
  const { state } = await realm.admin.register([], ["realm"]);
  expect(state).toMatchObject({
    realm_push_notifications_enabled: false,
    realm_push_notifications_enabled_end_timestamp: null,
  });
  expect(await realm.admin.call(api.testMobileNotification, {})).toEqual(
    refusal("Push notifications are not configured on this server."),
  );
  expect(await realm.admin.call(api.testMobileNotification, { token: "other" })).toEqual(
    refusal("Device not recognized", "INVALID_PUSH_DEVICE_TOKEN"),
  );
});

test("a test notification goes to one device or to all, and reports failures", async () => {
  const [pushService, relay] = [await PushService.start(), await PushService.start()];
  const key = newVapidKey();
  const node = await startNode({
    environment: { SKEIN_ROLES: "api", SKEIN_VAPID_KEY: key, SKEIN_PUSH_RELAY_URL: relay.url },
  });
  const realm = await newRealm([node]);
  const browser = new TestBrowser(pushService);
  success(await realm.admin.call(api.addWebPushSubscription, browser.subscription));
  for (const token of ["one", "other"]) success(await realm.admin.call(api.addFcmToken, { token }));

  expect(success(await realm.admin.call(api.getWebPushKey, {})).public_key).toBe(vapidPublicKey(key));
  expect(success(await realm.admin.call(getServerSettings, {})).push_notifications_enabled).toBe(true);
  success(await realm.admin.call(api.testMobileNotification, { token: "one" }));
  success(await realm.admin.call(api.testMobileNotification, {}));
  const trial = { event: "test", realm_id: realm.id, user_id: realm.admin.id };
  expect(relay.notificationsFor("one")).toMatchObject([trial, trial]);
  expect(relay.notificationsFor("other")).toMatchObject([trial]);
  success(await realm.admin.call(api.testWebNotification, { endpoint: browser.endpoint }));
  expect(browser.notifications).toMatchObject([{ event: "test" }]);

  relay.answer = () => 410;
  expect(await realm.admin.call(api.testMobileNotification, { token: "one" })).toEqual(
    refusal("Device not recognized by the push bouncer", "INVALID_REMOTE_PUSH_DEVICE_TOKEN"),
  );
  pushService.answer = () => 503;
  expect(await realm.admin.call(api.testWebNotification, { endpoint: browser.endpoint })).toEqual(
    refusal("The push service cannot be reached at the moment."),
  );
  expect(await realm.admin.call(api.testWebNotification, { endpoint: "https://example.com" })).toEqual(
    refusal("Device not recognized", "INVALID_PUSH_DEVICE_TOKEN"),
  );
});

test("a key made by the command is accepted, and an invalid one is not echoed", () => {
  expect(readVapidKey("")).toBe("");
  for (let n = 0; n < 20; n++) expect(Buffer.from(vapidPublicKey(newVapidKey()), "base64url")).toHaveLength(65);
  for (const wrong of ["secret", "A".repeat(43)])
    expect(() => readVapidKey(wrong)).toThrow(/^must be a key generated by `skein vapid-keys`$/);
});
