import { sendMessage } from "@skein/api/messages.ts";
import { deleteQueue, getEvents, register } from "@skein/api/registration.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { startNode } from "../../test/nodes.ts";
import { hashSecret } from "../identity/sessions.ts";
import { newRealm, success, TestQueue, type TestRealm, type TestUser } from "../../test/realm.ts";

const note = async (from: TestUser, to: TestUser, content: string) =>
  success(await from.call(sendMessage, { type: "direct", to: [to.id], content })).id;

/** Waits until this many reads are waiting on the first node. The tests of this file run one after the other. */
async function untilWaiting(realm: TestRealm, count: number): Promise<void> {
  while ((await realm.ctx.metrics.waitingPolls.get()).values[0]?.value !== count)
    await new Promise((resume) => setImmediate(resume));
}

// spec 4.5: queue_id, last_event_id, events, response queue_id
test("events arrive in order with growing ids, and are repeated until acknowledged", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const queue = await hamlet.register(["message"]);
  const ids = [await note(realm.admin, hamlet, "one"), await note(realm.admin, hamlet, "two")];

  await queue.next();
  const read = (last_event_id?: number) =>
    hamlet.call(getEvents, {
      queue_id: queue.id,
      dont_block: true,
      ...(last_event_id === undefined ? {} : { last_event_id }),
    });
  let all = success(await read()).events;
  while (all.length < 2) all = success(await read()).events;

  expect(all.map((event) => event.type === "message" && event.message.id)).toEqual(ids);
  const [first, second] = all.map((event) => event.id);
  expect(first).toBeLessThan(second ?? 0);
  expect(success(await read(first)).events.map((event) => event.id)).toEqual([second]);
  expect(success(await read(second)).events).toEqual([]);
});

test("a queue can be read from any node, with no event lost or repeated", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const queue = await hamlet.register(["message"]);
  const received: number[] = [];
  const sent: number[] = [];
  let last = queue.lastEventId;

  for (let round = 0; round < 20; round++) {
    sent.push(await note(realm.admin, hamlet, `round ${round}`));
    const answer = success(await hamlet.on(round).call(getEvents, { queue_id: queue.id, last_event_id: last }));
    for (const event of answer.events) if (event.type === "message") received.push(event.message.id);
    last = answer.events.at(-1)?.id ?? last;
  }

  expect(received).toEqual(sent);
});

// spec 4.5: dont_block
test("a waiting read completes when an event is emitted, on any node", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const queues = [await hamlet.register(["message"]), await hamlet.register(["message"])];
  const waiting = queues.map((queue, node) =>
    hamlet.on(node).call(getEvents, { queue_id: queue.id, last_event_id: queue.lastEventId }),
  );

  const id = await note(realm.admin, hamlet, "wake up");

  for (const answer of await Promise.all(waiting))
    expect(success(answer).events).toMatchObject([{ type: "message", message: { id } }]);
});

test("a second read of a queue ends the first one with no events", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["message"]);
  const read = () => realm.admin.on(0).call(getEvents, { queue_id: queue.id, last_event_id: queue.lastEventId });

  const first = read();
  await untilWaiting(realm, 1);
  const second = read();

  expect(success(await first).events).toEqual([]);
  await note(realm.admin, realm.admin, "end");
  expect(success(await second).events).toHaveLength(1);
});

test("only events of the requested types are delivered", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["realm"]);
  const marks = await realm.admin.register(["message"]);

  await note(realm.admin, realm.admin, "not for the first queue");
  await marks.next();

  expect(await queue.all()).toEqual([]);
});

// spec 4.5: registers without queue_id
test("a read without a queue creates one from its registration parameters", async () => {
  const realm = await newRealm();
  const made = success(await realm.admin.call(getEvents, { event_types: ["message"], dont_block: true }));
  expect(made.events).toEqual([]);
  const queue = new TestQueue(realm.admin, made.queue_id, -1, {});

  const id = await note(realm.admin, realm.admin, "hello");

  expect(await queue.next()).toMatchObject({ type: "message", message: { id } });
});

test("an unknown, a deleted and another user's queue are rejected in the same way, on both nodes", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const foreign = await realm.admin.register(["message"]);
  const deleted = await hamlet.register(["message"]);
  await deleted.all();
  await deleted.all();

  await deleted.delete();

  const unknown = "00000000-0000-4000-8000-000000000000";
  for (const queue_id of [unknown, "nonsense", "", foreign.id, deleted.id]) {
    for (const node of [0, 1]) {
      expect(await hamlet.on(node).call(getEvents, { queue_id, last_event_id: -1, dont_block: true })).toEqual({
        result: "error",
        msg: `Bad event queue ID: ${queue_id}`,
        code: "BAD_EVENT_QUEUE_ID",
        queue_id,
      });
    }
    expect(await hamlet.call(deleteQueue, { queue_id })).toMatchObject({ code: "BAD_EVENT_QUEUE_ID" });
  }
});

test("deleting a queue ends its waiting read on another node", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["message"]);
  const waiting = realm.admin.on(1).call(getEvents, { queue_id: queue.id, last_event_id: queue.lastEventId });

  await realm.admin.on(0).call(deleteQueue, { queue_id: queue.id });

  expect(await waiting).toMatchObject({ code: "BAD_EVENT_QUEUE_ID" });
});

// spec 4.1: queue_id, local_id; 6: local_id
test("only the sender's queue gets the local id", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const [sending, other, hers] = await Promise.all([hamlet, hamlet, ophelia].map((user) => user.register(["message"])));

  const echo = { queue_id: sending?.id ?? "", local_id: "17.01" };
  success(await hamlet.call(sendMessage, { type: "direct", to: [ophelia.id], content: "echo", ...echo }));

  expect(await sending?.next()).toMatchObject({ local_id: "17.01", local_message_id: "17.01" });
  for (const queue of [other, hers]) {
    const event = await queue?.next();
    expect(event).not.toHaveProperty("local_id");
    expect(event).not.toHaveProperty("local_message_id");
  }
  expect(
    await hamlet.call(sendMessage, { type: "direct", to: [ophelia.id], content: "x", queue_id: sending?.id ?? "" }),
  ).toMatchObject({ code: "BAD_REQUEST" });
});

// spec 6: heartbeat; 8: blocking read duration
test("a read without events ends with a heartbeat, whose id can be acknowledged", async () => {
  const node = await startNode({ environment: { SKEIN_HEARTBEAT_SECONDS: "1", SKEIN_ROLES: "api" } });
  const realm = await newRealm();
  const queue = await realm.admin.register(["message"]);
  const client = realm.client(node, { email: realm.admin.email, apiKey: realm.admin.apiKey });
  const read = async (last: number) =>
    success(await client.call(getEvents, { queue_id: queue.id, last_event_id: last })).events;

  const [first] = await read(queue.lastEventId);
  const [second] = await read(first?.id ?? 0);

  expect(first).toEqual({ type: "heartbeat", id: expect.any(Number) });
  expect(second?.type).toBe("heartbeat");
  expect(second?.id).toBeGreaterThan(first?.id ?? Infinity);
  const id = await note(realm.admin, realm.admin, "after the heartbeats");
  expect(await read(second?.id ?? 0)).toMatchObject([{ type: "message", message: { id } }]);
});

test("a queue that nobody reads expires, and one that is read does not", async () => {
  const idle = { environment: { SKEIN_QUEUE_IDLE_SECONDS: "4", SKEIN_HEARTBEAT_SECONDS: "1", SKEIN_ROLES: "api" } };
  const node = await startNode(idle);
  const realm = await newRealm();
  const client = realm.client(node, { email: realm.admin.email, apiKey: realm.admin.apiKey });
  const make = async () =>
    success(await client.call(register, { event_types: ["message"], fetch_event_types: [] })).queue_id;
  const [abandoned, followed] = [await make(), await make()];
  const read = (queue_id: string, dont_block: boolean) => client.call(getEvents, { queue_id, dont_block });

  // Reading the abandoned one would keep it, so the database is asked.
  const isExpired = async () =>
    (await sql`select from event_queues where id = ${abandoned} and expires_at > now()`.execute(realm.ctx.db)).rows
      .length === 0;
  while (!(await isExpired())) success(await read(followed, false));

  expect(await read(abandoned, true)).toMatchObject({ code: "BAD_EVENT_QUEUE_ID" });
  expect(await read(followed, true)).toMatchObject({ result: "success" });
});

test("the response lists unsupported parameters", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["message"]);

  const form = { queue_id: queue.id, last_event_id: String(queue.lastEventId), dont_block: "true", shiny: "1" };

  expect(await realm.admin.request("GET", "/events", form)).toEqual({
    result: "success",
    msg: "",
    events: [],
    queue_id: queue.id,
    ignored_parameters_unsupported: ["shiny"],
  });
});

test("registration rejects invalid and forbidden parameters", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });

  expect(await realm.admin.request("POST", "/register", { client_capabilities: "{}" })).toMatchObject({
    code: "BAD_REQUEST",
  });
  expect(await realm.admin.request("POST", "/register", { event_types: "message" })).toMatchObject({
    msg: "event_types is not valid JSON",
  });
  expect(await guest.call(register, { all_public_streams: true })).toMatchObject({
    msg: "User not authorized for this query",
  });
});

test("a read that is in flight when its node stops ends with a heartbeat", async () => {
  const realm = await newRealm();
  const { id: queueId } = await realm.admin.register(["message"]);
  const { ctx } = await startNode({ environment: { SKEIN_ROLES: "api" } });
  const { email, apiKey } = realm.admin;
  const user = await ctx.sessions.find({ email, keyHash: hashSecret(apiKey) });

  const stopped = ctx.events.stop();
  const read = ctx.events.poll({ user, queueId, lastEventId: -1, dontBlock: false, onClose: () => undefined });

  const [heartbeat, ...others] = await read;
  expect(others).toEqual([]);
  expect(JSON.parse(heartbeat?.text ?? "")).toMatchObject({ type: "heartbeat" });
  await stopped;
});

test("a registration beyond the limit of queues per user deletes the least recently read queue", async () => {
  const node = await startNode({ environment: { SKEIN_MAX_QUEUES: "3", SKEIN_ROLES: "api" } });
  const realm = await newRealm([node]);
  const hamlet = await realm.user("hamlet");
  const { db } = realm.ctx;
  const others = await realm.admin.register(["message"]);
  const queues = [await hamlet.register(["message"]), await hamlet.register(["message"])];
  const [kept, idle] = queues;
  if (!kept || !idle) throw new Error("there are two queues");
  await note(realm.admin, hamlet, "read");
  await kept.next();
  // The node would record this itself, but only every few seconds.
  await db
    .updateTable("event_queues")
    .set({ expires_at: new Date(Date.now() + 3_600_000) })
    .where("id", "=", kept.id)
    .execute();

  const waiting = idle.next().then(async () => idle.next());
  waiting.catch(() => undefined);
  for (let count = 0; count < 10; count++) queues.push(await hamlet.register(["message"]));

  await expect(waiting).rejects.toThrow("BAD_EVENT_QUEUE_ID");
  const left = await db.selectFrom("event_queues").select("id").where("user_id", "=", hamlet.id).execute();
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set([kept, ...queues.slice(-2)].map(({ id }) => id)));
  const id = await note(realm.admin, hamlet, "still here");
  expect((await kept.nextOf("message")).message.id).toBe(id);
  expect(await others.all()).toHaveLength(2);
});
