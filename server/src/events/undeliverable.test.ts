/** An event that cannot be converted for a queue affects only that queue. */
import { getEvents } from "@skein/api/registration.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { beforeAll, expect, test } from "vitest";
import { startOwnServer, type OwnServer } from "../../test/own-server.ts";
import { logFormat } from "./log-format.ts";
import { newRealm, success, type TestQueue, type TestRealm } from "../../test/realm.ts";

let server: OwnServer;
beforeAll(async () => {
  server = await startOwnServer();
});

/** A message event without a message; the server never emits one. */
const broken = { type: "message" };

async function say(realm: TestRealm, content: string): Promise<number> {
  const { admin } = realm;
  return success(await admin.call(sendMessage, { type: "direct", to: [admin.id], content })).id;
}

const read = ({ id, lastEventId, user }: TestQueue, dontBlock: boolean) =>
  user.call(getEvents, { queue_id: id, last_event_id: lastEventId, dont_block: dontBlock });

const failures = async ({ ctx }: TestRealm) =>
  (await ctx.metrics.undeliverableEvents.get()).values.find(({ labels }) => labels["type"] === "message")?.value ?? 0;

test("an event that cannot be shaped expires only the queues it is for", async () => {
  const [realm, other] = [await newRealm([server]), await newRealm([server])];
  const queue = await realm.admin.register(["message"]);
  const unconcerned = await realm.admin.register(["realm_user"]);
  const elsewhere = await other.admin.register(["message"]);
  const before = await failures(realm);

  const waiting = read(queue, false);
  await realm.ctx.events.emitTransient(realm.id, { everyone: true }, broken);
  expect(await waiting).toMatchObject({ result: "error", code: "BAD_EVENT_QUEUE_ID" });
  expect(await read(queue, true)).toMatchObject({ result: "error", code: "BAD_EVENT_QUEUE_ID" });

  const id = await say(other, "goes on");
  expect((await elsewhere.nextOf("message")).message.id).toBe(id);
  expect(await read(unconcerned, true)).toMatchObject({ result: "success", events: [] });
  const fresh = await realm.admin.register(["message"]);
  const own = await say(realm, "after it");
  expect((await fresh.nextOf("message")).message.id).toBe(own);
  expect(await failures(realm)).toBeGreaterThan(before);
});

test("events before such an event are delivered first", async () => {
  const realm = await newRealm([server]);
  const queue = await realm.admin.register(["message"]);
  const witness = await realm.admin.register(["message"]);

  const id = await say(realm, "before it");
  await witness.nextOf("message"); // a transient event can overtake a message that the relay has not published yet
  await realm.ctx.events.emitTransient(realm.id, { everyone: true }, broken);

  expect((await queue.nextOf("message")).message.id).toBe(id);
  const next = async () => read(queue, true);
  await expect.poll(next).toMatchObject({ result: "error", code: "BAD_EVENT_QUEUE_ID" });
});

test("an entry that cannot be read expires the queues that reach it, and the log continues", async () => {
  const realm = await newRealm([server]);
  const queue = await realm.admin.register(["message"]);

  const waiting = read(queue, false);
  await realm.ctx.events.publishTransient([{} as { r: number }]); // a part without its organization
  expect(await waiting).toMatchObject({ result: "error", code: "BAD_EVENT_QUEUE_ID" });

  const fresh = await realm.admin.register(["message"]);
  const id = await say(realm, "after it");
  expect((await fresh.nextOf("message")).message.id).toBe(id);
});

test("a node that finds an entry of a newer format reads no further, and says that it must be replaced", async () => {
  const realm = await newRealm([server]);
  const queue = await realm.admin.register(["message"]);
  const id = await say(realm, "before it");
  expect((await queue.nextOf("message")).message.id).toBe(id);

  const waiting = read(queue, false);
  await expect.poll(async () => (await server.ctx.metrics.waitingPolls.get()).values[0]?.value).toBe(1);
  await realm.ctx.events.publishTransient([
    { r: realm.id, v: logFormat + 1, e: [[{ everyone: true }, { type: "new" }]] },
  ]);
  const later = await say(realm, "after it");

  // The client is sent to another node. This one delivers nothing that comes later.
  expect(await waiting).toMatchObject({ events: [{ type: "heartbeat" }] });
  expect(await read(queue, true)).toMatchObject({ result: "error", msg: expect.stringContaining("newer release") });
  const answer = await fetch(`${server.url}/health/ready`);
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain("start the newer release in place of this process");
  expect(later).toBeGreaterThan(id);
});
