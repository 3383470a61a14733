/** No stale permissions: once a node has responded to a revocation, it applies on every other node. */
import { regenerateApiKey } from "@skein/api/authentication.ts";
import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { getEvents } from "@skein/api/registration.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { expect, inject, test } from "vitest";
import { startNode } from "../../test/nodes.ts";
import { newRealm, success, TestUser, type TestRealm } from "../../test/realm.ts";
import { startTcpProxy } from "../../test/tcp-proxy.ts";

/** Concurrent users, and rounds per user without pause; use REVOCATION_ROUNDS=1000 for a longer run. */
const people = 10;
const rounds = Number(process.env["REVOCATION_ROUNDS"] ?? 25);

const atOnce = async (tryOut: (name: string) => Promise<string[]>): Promise<string[]> =>
  (await Promise.all(Array.from({ length: people }, (_, n) => tryOut(`person ${n}`)))).flat();

/** The uses of a revoked key on another node that were not rejected. */
async function useRevokedKeys(realm: TestRealm, name: string): Promise<string[]> {
  const made = await realm.user(name);
  const note = { type: "direct" as const, to: [made.id], content: "to self" };
  const { id: message_id } = success(await made.call(sendMessage, note));
  const queue = await made.register(["message"]);
  const read = { queue_id: queue.id, last_event_id: queue.lastEventId, dont_block: true };
  let user = made;
  const accepted: string[] = [];

  for (let round = 0; round < rounds; round++) {
    const [here, there] = [user.on(round), user.on(round + 1)];
    // The other node knows the key before it is revoked.
    success(await there.call(getEvents, read));
    const { api_key } = success(await here.call(regenerateApiKey, {}));
    const uses = [
      () => there.call(getEvents, read),
      () => there.call(getMessage, { message_id }),
      () => there.call(sendMessage, note),
    ];
    const answer = await (uses[round % uses.length] ?? uses[0])?.();
    if (answer?.result !== "error" || answer.code !== "UNAUTHORIZED")
      accepted.push(`${round}: ${JSON.stringify(answer)}`);
    user = new TestUser(realm, user.id, user.email, user.fullName, api_key);
  }
  return accepted;
}

test("a revoked key is rejected on another node, hundreds of times without pause", { timeout: 600_000 }, async () => {
  const realm = await newRealm();

  expect(await atOnce((name) => useRevokedKeys(realm, name))).toEqual([]);
});

/** Reads and writes in a private channel that were not rejected on another node after the user was unsubscribed. */
async function comeBackIntoChannel(realm: TestRealm, name: string): Promise<string[]> {
  const hamlet = await realm.user(name);
  const channel = `castle of ${name}`;
  const invite = { subscriptions: [{ name: channel }], principals: [hamlet.id] };
  success(
    await realm.admin.call(subscribe, {
      ...invite,
      principals: [realm.admin.id],
      invite_only: true,
      history_public_to_subscribers: true,
    }),
  );
  const post = { type: "channel", to: channel, topic: "watch", content: "who's there?" } as const;
  const { id: message_id } = success(await realm.admin.call(sendMessage, post));
  const accepted: string[] = [];
  for (let round = 0; round < rounds; round++) {
    success(await realm.admin.on(round).call(subscribe, invite));
    const there = hamlet.on(round + 1);
    success(await there.call(getMessage, { message_id }));
    success(await realm.admin.on(round).call(unsubscribe, { subscriptions: [channel], principals: [hamlet.id] }));
    const answer = round % 2 === 0 ? await there.call(getMessage, { message_id }) : await there.call(sendMessage, post);
    if (answer.result !== "error") accepted.push(`${round}: ${JSON.stringify(answer)}`);
  }
  return accepted;
}

test(
  "a user who was removed from a private channel cannot read or write there on another node",
  { timeout: 600_000 },
  async () => {
    const realm = await newRealm();

    expect(await atOnce((name) => comeBackIntoChannel(realm, name))).toEqual([]);
  },
);

test("a waiting read ends when its key is revoked on another node", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const queue = await hamlet.register(["message"]);
  const waiting = hamlet.on(1).call(getEvents, { queue_id: queue.id, last_event_id: queue.lastEventId });

  success(await hamlet.on(0).call(regenerateApiKey, {}));

  expect(await waiting).toMatchObject({ code: "UNAUTHORIZED" });
});

test("a node that is cut off from the event log still rejects a revoked key", async () => {
  const proxy = await startTcpProxy(Number(new URL(inject("natsUrl")).port));
  const environment = { SKEIN_NATS_URL: `nats://127.0.0.1:${proxy.port}`, SKEIN_ROLES: "api" };
  const realm = await newRealm([await startNode(), await startNode({ environment })]);
  // One user per use, because a node drops the account from its cache at the first rejection.
  const [writer, reader, listener] = [
    await realm.user("writer"),
    await realm.user("reader"),
    await realm.user("listener"),
  ];
  const note = { type: "direct" as const, to: [realm.admin.id], content: "news" };
  const { id: message_id } = success(await reader.on(1).call(sendMessage, note));
  success(await writer.on(1).call(sendMessage, note));
  const queue = await listener.register(["message"]);
  const read = { queue_id: queue.id, last_event_id: queue.lastEventId, dont_block: true };
  success(await listener.on(1).call(getEvents, read));

  proxy.hold();
  for (const user of [writer, reader, listener]) success(await user.on(0).call(regenerateApiKey, {}));

  const refused = { result: "error", code: "UNAUTHORIZED" };
  expect(await writer.on(1).call(sendMessage, note)).toMatchObject(refused);
  expect(await reader.on(1).call(getMessage, { message_id })).toMatchObject(refused);
  expect(await listener.on(1).call(getEvents, read)).toMatchObject(refused);
  proxy.release();
});
