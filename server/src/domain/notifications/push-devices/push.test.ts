import { deleteMessage } from "@skein/api/deletion.ts";
import { updateMessage } from "@skein/api/edits.ts";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { addApnsToken, addFcmToken, addWebPushSubscription } from "@skein/api/push-devices.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { unsubscribe } from "@skein/api/subscriptions.ts";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { doJobs, startOwnServer, type OwnServer } from "../../../../test/own-server.ts";
import { PushService, TestBrowser } from "../../../../test/push-service.ts";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../../../test/actions.ts";
import { newVapidKey } from "../../../platform/vapid.ts";
import { followBatch } from "../follow.ts";
import { cleanUpPushes } from "./clean-up.ts";
import { enqueueDuePushes } from "./enqueue-due.ts";
import { deviceAddress } from "./devices.ts";
import { pushToDevice } from "./push.ts";

let node: OwnServer;
let pushService: PushService;
let relay: PushService;
beforeAll(async () => {
  [pushService, relay] = [await PushService.start(), await PushService.start()];
  node = await startOwnServer({
    SKEIN_VAPID_KEY: newVapidKey(),
    SKEIN_PUSH_RELAY_URL: `${relay.url}/notify`,
    SKEIN_PUSH_RELAY_SECRET: "what the relay knows us by",
  });
});

async function elsinore() {
  const realm = await newRealm([node]);
  const hamlet = await realm.user("hamlet", { fullName: "Hamlet" });
  const ophelia = await realm.user("ophelia", { fullName: "Ophelia" });
  const browser = await browserOf(ophelia);
  return { realm, hamlet, ophelia, browser, channel: await channelOf([hamlet, ophelia], "castle") };
}

async function browserOf(user: TestUser): Promise<TestBrowser> {
  const browser = new TestBrowser(pushService);
  success(await user.call(addWebPushSubscription, browser.subscription));
  return browser;
}

const follow = async () => {
  while (await followBatch(node.ctx, 0));
};

/** Does the work of the workers: processes sent messages, enqueues due pushes, and sends them. */
async function push(): Promise<void> {
  await follow();
  while (await enqueueDuePushes(node.ctx));
  await doJobs(node, pushToDevice);
}

const pushesOf = ({ id }: TestUser) => node.ctx.db.selectFrom("pushes").selectAll().where("user_id", "=", id).execute();
const read = (user: TestUser, id: number) =>
  user.call(updateMessageFlags, { messages: [id], op: "add", flag: "read" }).then(success);

test("a browser receives a direct message, encrypted and signed, and its removal when it is read", async () => {
  const { hamlet, ophelia, browser } = await elsinore();
  const other = await browserOf(hamlet);
  const id = await sendDirect(hamlet, [ophelia], { content: "To **be** or not" });
  await push();

  expect(browser.notifications).toEqual([
    {
      event: "message",
      tag: `message-${id}`,
      message_id: id,
      title: "Hamlet",
      body: "To be or not",
      icon: expect.stringContaining(`/avatar/${hamlet.id}?version=1`),
      url: `/#narrow/dm/${hamlet.id}-Hamlet/near/${id}`,
      time: expect.any(Number),
      trigger: "direct_message",
    },
  ]);
  expect(other.notifications).toEqual([]);
  const [{ headers } = { headers: {} as Record<string, string> }] = browser.pushes;
  expect(headers).toMatchObject({ "content-encoding": "aes128gcm", urgency: "high", topic: `message-${id}` });
  expect(headers["authorization"]).toMatch(/^vapid t=.+, k=.+/);

  await read(ophelia, id);
  await push();
  expect(browser.notifications.slice(1)).toEqual([{ event: "remove", tags: [`message-${id}`] }]);
  expect(await pushesOf(ophelia)).toEqual([]);
  await push();
  expect(browser.notifications).toHaveLength(2);
});

test("a phone is notified through the relay, with the fields its app expects and our authorization", async () => {
  const { realm, hamlet, ophelia, channel } = await elsinore();
  const [iPhone, android] = ["ab".repeat(32), `token-${ophelia.id}`];
  success(await ophelia.call(addApnsToken, { token: iPhone, appid: "org.example.app" }));
  success(await ophelia.call(addFcmToken, { token: android }));
  const id = await sendToChannel(hamlet, channel, {
    topic: "",
    content: `@**${ophelia.fullName}** ${"x".repeat(300)}`,
  });
  await push();

  expect(relay.notificationsFor(android)).toEqual([
    {
      server: realm.host,
      realm_id: realm.id,
      realm_name: expect.any(String),
      realm_url: `http://${realm.host}:0`,
      realm_uri: `http://${realm.host}:0`,
      user_id: ophelia.id,
      event: "message",
      zulip_message_id: id,
      time: expect.any(Number),
      sender_id: hamlet.id,
      sender_email: hamlet.email,
      sender_full_name: "Hamlet",
      sender_avatar_url: expect.stringContaining("http"),
      recipient_type: "stream",
      stream: "castle",
      stream_id: channel.id,
      topic: "general chat",
      content: expect.stringMatching(/^@Ophelia x+…$/),
      content_truncated: true,
      trigger: "mentioned",
    },
  ]);
  const sent = relay.received.find(({ body }) => body.toString().includes(iPhone));
  expect(sent).toMatchObject({ path: "/notify", headers: { authorization: "Bearer what the relay knows us by" } });
  expect(JSON.parse(sent?.body.toString() ?? "")).toMatchObject({
    version: 1,
    id: expect.stringMatching(/^\d+-message-\d+$/),
    priority: "high",
    device: { kind: "apns", token: iPhone, app_id: "org.example.app" },
  });

  await read(ophelia, id);
  await push();
  expect(relay.notificationsFor(iPhone).at(-1)).toMatchObject({ event: "remove", zulip_message_ids: String(id) });
});

test("a group conversation names everybody in it", async () => {
  const { realm, hamlet, ophelia, browser } = await elsinore();
  success(await ophelia.call(addFcmToken, { token: `group-${ophelia.id}` }));
  await sendDirect(hamlet, [ophelia, realm.admin]);
  await push();

  const everybody = [realm.admin.id, hamlet.id, ophelia.id].toSorted((a, b) => a - b);
  expect(relay.notificationsFor(`group-${ophelia.id}`)).toMatchObject([
    { recipient_type: "private", pm_users: everybody.join() },
  ]);
  expect(browser.notifications).toMatchObject([{ title: "Hamlet (you and owner)" }]);
});

test.for<[string, (world: Awaited<ReturnType<typeof elsinore>>, id: number) => Promise<unknown>]>([
  ["was read", ({ ophelia }, id) => read(ophelia, id)],
  ["was deleted", ({ realm }, id) => realm.admin.call(deleteMessage, { message_id: id }).then(success)],
  [
    "is in a channel that its reader left",
    ({ ophelia, channel }) => ophelia.call(unsubscribe, { subscriptions: [channel.name] }).then(success),
  ],
])("a message that %s is not pushed, and a shown notification is removed", async ([, happen]) => {
  const world = await elsinore();
  const { hamlet, ophelia, browser, channel } = world;
  const content = `@**${ophelia.fullName}** hello`;
  const shown = await sendToChannel(hamlet, channel, { content });
  await push();
  expect(browser.notifications).toHaveLength(1);
  const waiting = await sendToChannel(hamlet, channel, { content });
  await follow();

  await happen(world, waiting);
  await push();
  expect(browser.notifications).toHaveLength(1);

  await happen(world, shown).catch(() => undefined); // there is nothing to leave any more
  await cleanUpPushes.run(node.ctx, {}, { attempt: 1, maxAttempts: 1 });
  await push();
  expect(browser.notifications.slice(1)).toEqual([{ event: "remove", tags: [`message-${shown}`] }]);
  expect(await pushesOf(ophelia)).toEqual([]);
});

test("an edited message is pushed with its current content", async () => {
  const { hamlet, ophelia, browser } = await elsinore();
  const id = await sendDirect(hamlet, [ophelia], { content: "first thoughts" });
  await follow();
  success(await hamlet.call(updateMessage, { message_id: id, content: "second thoughts" }));
  await push();
  expect(browser.notifications).toMatchObject([{ body: "second thoughts" }]);
});

test("a present reader is notified after leaving, if they want that", async () => {
  const { realm, hamlet, ophelia, browser } = await elsinore();
  success(await ophelia.call(updateSettings, { enable_online_push_notifications: false }));
  await sql`
    insert into presences (user_id, realm_id, last_active_at, last_connected_at, update_id)
    values (${ophelia.id}, ${realm.id}, now(), now(), 1)`.execute(node.ctx.db);
  await sendDirect(hamlet, [ophelia]);
  const isTimeToLook = () =>
    node.ctx.db.updateTable("pushes").set({ due_at: new Date() }).where("user_id", "=", ophelia.id).execute();

  await push();
  await isTimeToLook();
  await push();
  expect(browser.notifications).toEqual([]);

  await sql`update presences set last_active_at = now() - interval '1 hour' where user_id = ${ophelia.id}`.execute(
    node.ctx.db,
  );
  await isTimeToLook();
  await push();
  expect(browser.notifications).toHaveLength(1);
});

test("the text of direct messages is hidden from browsers on request", async () => {
  const { hamlet, ophelia, browser } = await elsinore();
  success(await ophelia.call(updateSettings, { pm_content_in_desktop_notifications: false }));
  await sendDirect(hamlet, [ophelia], { content: "the secret" });
  await push();
  expect(browser.notifications).toMatchObject([{ title: "Hamlet", body: "New direct message" }]);
});

test("a browser that its push service no longer knows is removed", async () => {
  const { hamlet, ophelia, browser } = await elsinore();
  const alive = await browserOf(ophelia);
  pushService.answer = ({ path }) => (browser.endpoint.endsWith(path) ? 410 : 201);
  await sendDirect(hamlet, [ophelia]);
  await push();
  pushService.answer = () => 201;

  const { db, secretBox } = node.ctx;
  const left = await db.selectFrom("push_devices").selectAll().where("user_id", "=", ophelia.id).execute();
  expect(left.map((device) => deviceAddress(secretBox, device))).toEqual([alive.endpoint]);
  expect(alive.notifications).toHaveLength(1);
});

test("a busy push service is retried with the same name for what is still due, until giving up", async () => {
  const { hamlet, ophelia, browser } = await elsinore();
  const [first, second] = [await sendDirect(hamlet, [ophelia]), await sendDirect(hamlet, [ophelia])];
  await follow();
  const [row] = await pushesOf(ophelia);
  const device = { device_id: row?.device_id ?? 0 };
  const attempt = (number: number) =>
    pushToDevice.run(node.ctx, device, { attempt: number, maxAttempts: pushToDevice.maxAttempts });
  const topics: string[] = [];
  pushService.answer = ({ headers }) => {
    topics.push(headers["topic"] ?? "");
    return 503;
  };
  await expect(attempt(1)).rejects.toThrow("answered with status 503");
  await expect(attempt(2)).rejects.toThrow("answered with status 503");
  expect(topics).toEqual([`message-${first}`, `message-${first}`]);
  await read(ophelia, first);
  await expect(attempt(3)).rejects.toThrow("answered with status 503");
  await attempt(pushToDevice.maxAttempts);
  pushService.answer = () => 201;

  await push();
  expect(browser.notifications).toEqual([]);
  expect(await pushesOf(ophelia)).toEqual([]);
  expect(second).toBeGreaterThan(first);
});

test("if a worker crashes after sending, the notification is sent again with the same name", async () => {
  const { hamlet, ophelia, browser } = await elsinore();
  const id = await sendDirect(hamlet, [ophelia]);
  await push();
  // The state before the worker recorded what it had sent.
  await node.ctx.db.updateTable("pushes").set({ is_sent: false }).where("user_id", "=", ophelia.id).execute();
  const [{ device_id } = { device_id: 0 }] = await pushesOf(ophelia);
  await pushToDevice.run(node.ctx, { device_id }, { attempt: 2, maxAttempts: 8 });

  expect(browser.pushes.map(({ headers }) => headers["topic"])).toEqual([`message-${id}`, `message-${id}`]);
  await pushToDevice.run(node.ctx, { device_id }, { attempt: 3, maxAttempts: 8 });
  expect(browser.pushes).toHaveLength(2);
});

test("a push endpoint outside the public Internet is never contacted", async () => {
  const { hamlet, ophelia, browser } = await elsinore();
  const inside = new TestBrowser(pushService);
  const { port, pathname } = new URL(inside.endpoint);
  const endpoint = `http://127.0.0.2:${port}${pathname}`;
  success(await ophelia.call(addWebPushSubscription, { ...inside.subscription, endpoint }));
  await sendDirect(hamlet, [ophelia]);
  await push();

  expect(browser.notifications).toHaveLength(1);
  expect(inside.notifications).toEqual([]);
});

test("nobody in another organization is notified, and notifications are counted by kind", async () => {
  const { hamlet, ophelia, channel } = await elsinore();
  const elsewhere = await newRealm([node]);
  const browser = await browserOf(elsewhere.admin);
  success(await elsewhere.admin.call(updateSettings, { enable_stream_desktop_notifications: true }));
  const counted = async () => {
    const { values } = await node.ctx.metrics.notifications.get();
    return values.find(({ labels }) => labels["kind"] === "web" && labels["outcome"] === "sent")?.value ?? 0;
  };
  const before = await counted();

  await sendToChannel(hamlet, channel, { content: `@**all** @**${ophelia.fullName}**` });
  await push();

  expect(browser.notifications).toEqual([]);
  expect((await counted()) - before).toBe(1);
});
