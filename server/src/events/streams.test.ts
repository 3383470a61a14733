/** Events as a stream: the same events as long polls get, exactly once, and the same refusals. */
import { regenerateApiKey } from "@skein/api/authentication.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { deleteQueue, getEvents, getEventStream, register } from "@skein/api/registration.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { deactivateUser } from "@skein/api/users.ts";
import { sql } from "kysely";
import { describe, expect, inject, test } from "vitest";
import { eventsIn, framesIn, TestStream } from "../../test/event-stream.ts";
import { authorizationOf } from "../../test/files.ts";
import { startNode } from "../../test/nodes.ts";
import { startOwnServer } from "../../test/own-server.ts";
import { newRealm, success, type TestQueue, type TestRealm, type TestUser } from "../../test/realm.ts";
import { startProcess } from "../../test/server-process.ts";
import { startTcpProxy } from "../../test/tcp-proxy.ts";
import { TestBrowser, withPassword } from "../../test/test-browser.ts";
import { beginMaintenance, endMaintenance, maintenanceHeader } from "../http/maintenance.ts";
import { transaction } from "../platform/db/transaction.ts";

const note = async (from: TestUser, to: TestUser, content: string) =>
  success(await from.call(sendMessage, { type: "direct", to: [to.id], content })).id;

const readersOf = async ({ ctx }: Pick<TestRealm, "ctx">) => (await ctx.metrics.waitingPolls.get()).values[0]?.value;

const bad = (queueId: string) => ({
  result: "error",
  msg: `Bad event queue ID: ${queueId}`,
  code: "BAD_EVENT_QUEUE_ID",
  queue_id: queueId,
});

/** The realm's owner has this queue, and the messages are theirs. */
async function queueWithNotes(count: number): Promise<{ realm: TestRealm; queue: TestQueue; ids: number[] }> {
  const realm = await newRealm();
  const queue = await realm.admin.register(["message"]);
  const ids: number[] = [];
  for (let at = 0; at < count; at++) ids.push(await note(realm.admin, realm.admin, `note ${at}\n\nid: 7\ndata: x`));
  return { realm, queue, ids };
}

describe("a stream", () => {
  test("begins at once, delivers the events of the queue on any node, and says how it is to be treated", async () => {
    const { realm, queue, ids } = await queueWithNotes(3);

    for (const node of [0, 1]) {
      const stream = await TestStream.open(queue, { node });
      await stream.until(({ messageIds }) => messageIds.length === 3);
      const later = await note(realm.admin, realm.admin, "later");
      ids.push(later);
      await stream.until(({ messageIds }) => messageIds.includes(later));

      expect(stream.response.headers).toMatchObject({
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      });
      expect(stream.text.startsWith(": stream\n\n")).toBe(true);
      expect(stream.messageIds).toEqual(ids);
      const withData = stream.frames.filter(({ data }) => data !== undefined);
      expect(withData.map(({ id }) => id)).toEqual(stream.events.map(({ id }) => id));
      stream.kill();
      queue.lastEventId = stream.position ?? 0;
      ids.splice(0);
      if (node === 0) for (const content of ["a", "b", "c"]) ids.push(await note(realm.admin, realm.admin, content));
    }
  });

  test("resumes exactly, wherever its bytes were cut off", { timeout: 60_000 }, async () => {
    const { queue, ids } = await queueWithNotes(8);
    const whole = await (await TestStream.open(queue)).until(({ messageIds }) => messageIds.length === ids.length);
    const bytes = whole.text;
    whole.kill();
    // Around every line break, which is everywhere that the outcome can differ.
    const cuts = new Set([0]);
    for (const { index } of bytes.matchAll(/\n/g)) for (const near of [0, 1, 2, 7]) cuts.add(index + near);

    let node = 0;
    for (const cut of cuts) {
      const frames = framesIn(bytes.slice(0, cut));
      const position = frames.findLast(({ id }) => id !== undefined)?.id ?? queue.lastEventId;
      const received = eventsIn(frames).length;
      const rest = await TestStream.open(queue, { node: node++, lastEventId: String(position) });
      await rest.until(({ messageIds }) => messageIds.length >= ids.length - received);
      expect(rest.messageIds).toEqual(ids.slice(received));
      rest.kill();
    }
  });

  test("delivers each event once and in order, however often its client is killed while others write", async () => {
    const realm = await newRealm();
    const queue = await realm.admin.register(["message"]);
    const sent: number[] = [];
    const writing = (async () => {
      for (let at = 0; at < 150; at++) sent.push(await note(realm.admin, realm.admin, `note ${at}`));
    })();
    const received: number[] = [];

    for (let round = 0; received.length < 150; round++) {
      const stream = await TestStream.open(queue, { node: round, lastEventId: String(queue.lastEventId) });
      const wanted = Math.min(1 + (round % 7), 150 - received.length);
      await stream.until(({ messageIds }) => messageIds.length >= wanted);
      stream.kill();
      received.push(...stream.messageIds);
      queue.lastEventId = stream.position ?? queue.lastEventId;
    }

    await writing;
    expect(received).toEqual(sent);
  });

  test("prefers the header to the parameter, and refuses one that is no position", async () => {
    const { realm, queue, ids } = await queueWithNotes(2);
    const all = await (await TestStream.open(queue)).until(({ messageIds }) => messageIds.length === 2);
    const headers = { authorization: authorizationOf(realm.admin) };

    const newest = String(all.position);
    const rest = await TestStream.open(queue, { headers: { ...headers, "last-event-id": newest } });
    const id = await note(realm.admin, realm.admin, "third");
    await rest.until(({ messageIds }) => messageIds.length > 0);
    expect(rest.messageIds).toEqual([id]);
    const empty = await TestStream.open(queue, { headers: { ...headers, "last-event-id": "" } });
    await empty.until(({ messageIds }) => messageIds.length === 3);
    expect(empty.messageIds).toEqual([...ids, id]);

    for (const lastEventId of ["x", "1.5", "1e3", "9".repeat(30)]) {
      const refused = await TestStream.open(queue, { lastEventId });
      await refused.end();
      expect([refused.response.statusCode, JSON.parse(refused.text)]).toEqual([
        400,
        { result: "error", msg: "Last-Event-ID is not an integer", code: "BAD_REQUEST" },
      ]);
    }
  });

  test("is refused like a read of events before it begins, on both nodes", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const foreign = await realm.admin.register(["message"]);

    for (const queue_id of ["00000000-0000-4000-8000-000000000000", "nonsense", "", foreign.id])
      for (const node of [0, 1])
        expect(await hamlet.on(node).call(getEventStream, { queue_id })).toEqual(bad(queue_id));
    expect(await hamlet.request("GET", "/events/stream")).toMatchObject({ msg: "Missing 'queue_id' argument" });
    const stranger = await TestStream.open(foreign, { headers: {} });
    await stranger.end();
    expect(stranger.response.statusCode).toBe(401);
  });

  test("ends when another stream or a read of its queue begins, even while its own client does not read", async () => {
    const realm = await newRealm();
    const queue = await realm.admin.register(["message"]);
    const before = (await readersOf(realm)) ?? 0;
    const first = await TestStream.open(queue);
    await expect.poll(() => readersOf(realm)).toBe(before + 1);

    const second = await TestStream.open(queue);
    expect(await first.end()).toEqual({ event: "end", data: { reason: "replaced" } });
    await expect.poll(() => readersOf(realm)).toBe(before + 1);
    const read = realm.admin.on(0).call(getEvents, { queue_id: queue.id, last_event_id: queue.lastEventId });
    expect(await second.end()).toEqual({ event: "end", data: { reason: "replaced" } });

    const third = await TestStream.open(queue);
    expect(success(await read).events).toEqual([]);
    const id = await note(realm.admin, realm.admin, "for the newest");
    await third.until(({ messageIds }) => messageIds.includes(id));
    third.kill();
    await expect.poll(() => readersOf(realm)).toBe(before);
  });

  test("of many that begin at once for one queue one remains, and it gets the events", async () => {
    const realm = await newRealm();
    const before = (await readersOf(realm)) ?? 0;
    const queue = await realm.admin.register(["message"]);

    const streams = await Promise.all(Array.from({ length: 12 }, () => TestStream.open(queue)));
    await expect.poll(() => streams.filter(({ isOver }) => !isOver).length).toBe(1);

    const id = await note(realm.admin, realm.admin, "for the one that remains");
    const left = streams.find(({ isOver }) => !isOver);
    await left?.until(({ messageIds }) => messageIds.includes(id));
    left?.kill();
    await expect.poll(() => readersOf(realm)).toBe(before);
  });

  test("answers HEAD without a stream", async () => {
    const realm = await newRealm();
    const { id } = await realm.admin.register(["message"]);
    const headers = { authorization: authorizationOf(realm.admin), "x-forwarded-host": realm.host };

    const response = await fetch(`${realm.nodes[0]?.url}/api/v1/events/stream?queue_id=${id}`, {
      method: "HEAD",
      headers,
    });

    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
      "",
    ]);
  });

  test("keeps its queue alive, and its keep-alives are positions to resume from", async () => {
    const environment = { SKEIN_QUEUE_IDLE_SECONDS: "3", SKEIN_HEARTBEAT_SECONDS: "1", SKEIN_ROLES: "api" };
    const realm = await newRealm([await startNode(), await startNode({ environment })]);
    const client = realm.admin.on(1);
    const made = success(await client.call(register, { event_types: ["message"], fetch_event_types: [] }));
    const queue = await realm.admin.register(["message"]);
    Object.assign(queue, { id: made.queue_id, lastEventId: made.last_event_id });

    const stream = await TestStream.open(queue, { node: 1 });
    // For longer than the queue lives without a reader.
    await stream.until(({ frames }) => frames.filter(({ id }) => id !== undefined).length >= 8);

    expect(stream.events).toEqual([]);
    const positions = stream.frames.flatMap(({ id }) => id ?? []);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    const id = await note(realm.admin, realm.admin, "after the keep-alives");
    const resumed = await TestStream.open(queue, { node: 1, lastEventId: String(positions.at(-1)) });
    await resumed.until(({ messageIds }) => messageIds.length > 0);
    expect(resumed.messageIds).toEqual([id]);
  });

  test("counts against the account's limit of reads", async () => {
    const environment = { SKEIN_RATE_LIMITS: "true", SKEIN_EVENT_READS_PER_MINUTE: "3", SKEIN_ROLES: "api" };
    const realm = await newRealm([await startNode({ environment })]);
    const queue = await realm.admin.register(["message"]);

    const statuses: (number | undefined)[] = [];
    for (let at = 0; at < 4; at++) statuses.push((await TestStream.open(queue)).response.statusCode);

    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});

describe("a slow reader", () => {
  const large = "x".repeat(9000);

  test("gets every event in the end, and holds up nobody else", { timeout: 120_000 }, async () => {
    const realm = await newRealm();
    const queue = await realm.admin.register(["message"]);
    const other = await realm.admin.register(["message"]);
    const stream = await TestStream.open(queue);
    await stream.until(({ text }) => text !== "");
    stream.response.pause();

    const ids: number[] = [];
    for (let at = 0; at < 60; at++)
      ids.push(
        ...(await Promise.all(Array.from({ length: 20 }, () => note(realm.admin, realm.admin, large)))).toSorted(
          (a, b) => a - b,
        ),
      );
    const healthy = await TestStream.open(other);
    await healthy.until(({ messageIds }) => messageIds.length === ids.length);
    stream.response.resume();

    await stream.until(({ messageIds }) => messageIds.length >= ids.length);
    expect(stream.messageIds).toEqual(healthy.messageIds);
  });

  test("is disconnected when it reads nothing, and can resume", { timeout: 120_000 }, async () => {
    const environment = { SKEIN_REQUEST_TIMEOUT_SECONDS: "1", SKEIN_ROLES: "api" };
    const realm = await newRealm([await startNode(), await startNode({ environment })]);
    const queue = await realm.admin.register(["message"]);
    const stream = await TestStream.open(queue, { node: 1 });
    await stream.until(({ text }) => text !== "");
    stream.response.pause();
    const { metrics } = realm.nodes[1]?.ctx ?? realm.ctx;
    const readers = async () => (await metrics.waitingPolls.get()).values[0]?.value;
    await expect.poll(readers).toBe(1);

    const ids: number[] = [];
    for (let at = 0; (await readers()) === 1; at++)
      ids.push(...(await Promise.all(Array.from({ length: 20 }, () => note(realm.admin, realm.admin, large)))));
    stream.response.resume();
    await stream.end().catch(() => undefined);

    expect(stream.messageIds.length).toBeLessThan(ids.length);
    const rest = await TestStream.open(queue, { lastEventId: String(stream.position ?? queue.lastEventId) });
    const received = () => [...stream.messageIds, ...rest.messageIds];
    await rest.until(() => received().length >= ids.length);
    expect(received().toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  });
});

describe("a revocation ends the stream, and nothing that follows it is delivered", () => {
  /** Opens the stream on another node, revokes, and writes what must not arrive. */
  async function afterRevoking(
    revokeAccess: (realm: TestRealm, hamlet: TestUser, queue: TestQueue) => Promise<unknown>,
  ) {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const queue = await hamlet.register(["message"]);
    const stream = await TestStream.open(queue, { node: 1 });
    const id = await note(realm.admin, hamlet, "before");
    await stream.until(({ messageIds }) => messageIds.includes(id));

    await revokeAccess(realm, hamlet, queue);
    await note(realm.admin, hamlet, "after").catch(() => undefined);
    const end = await stream.end();

    expect(stream.messageIds).toEqual([id]);
    return { end, queue };
  }

  test("of a key", async () => {
    const { end } = await afterRevoking(async (_, hamlet) => success(await hamlet.on(0).call(regenerateApiKey, {})));
    expect(end).toMatchObject({ event: "error", data: { result: "error", code: "UNAUTHORIZED" } });
  });

  test("of an account", async () => {
    const { end } = await afterRevoking(async ({ admin }, { id }) =>
      success(await admin.on(0).call(deactivateUser, { user_id: id })),
    );
    expect(end).toMatchObject({ event: "error", data: { result: "error", code: "UNAUTHORIZED" } });
  });

  test("of a queue", async () => {
    const { end, queue } = await afterRevoking(async (_, hamlet, { id }) =>
      success(await hamlet.on(0).call(deleteQueue, { queue_id: id })),
    );
    expect(end).toEqual({ event: "error", data: bad(queue.id) });
  });

  test("of an organization", async () => {
    const { end } = await afterRevoking(({ ctx, id }) =>
      ctx.db.updateTable("realms").set({ deactivated: true }).where("id", "=", id).execute(),
    );
    expect(end).toMatchObject({ event: "error", data: { result: "error", code: "UNAUTHORIZED" } });
  });

  test("of a browser's session", async () => {
    const realm = await newRealm();
    const hamlet = await withPassword(realm, "hamlet");
    const browser = new TestBrowser(realm);
    await browser.signIn(hamlet);
    const queue = await hamlet.register(["message"]);
    const cookie = browser.cookieHeader();
    const stream = await TestStream.open(queue, { node: 1, surface: "/json", headers: { cookie } });
    const id = await note(realm.admin, hamlet, "before");
    await stream.until(({ messageIds }) => messageIds.includes(id));

    await browser.send("/accounts/logout/", {}, { node: 0 });
    await note(realm.admin, hamlet, "after");

    expect(await stream.end()).toMatchObject({ event: "error", data: { result: "error", code: "UNAUTHORIZED" } });
    expect(stream.messageIds).toEqual([id]);
  });

  test("but not a change of the account that leaves its key valid", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const queue = await hamlet.register(["message"]);
    const stream = await TestStream.open(queue, { node: 1 });

    const ids: number[] = [];
    for (const full_name of ["Hamlet I", "Hamlet II", "Hamlet III"]) {
      success(await hamlet.on(0).call(updateSettings, { full_name }));
      ids.push(await note(realm.admin, hamlet, full_name));
    }

    await stream.until(({ messageIds }) => messageIds.length === 3);
    expect(stream.messageIds).toEqual(ids);
  });

  test("even while the client does not read", { timeout: 120_000 }, async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const queue = await hamlet.register(["message"]);
    const stream = await TestStream.open(queue, { node: 1 });
    stream.response.pause();
    for (let at = 0; at < 40; at++)
      await Promise.all(Array.from({ length: 20 }, () => note(realm.admin, hamlet, "x".repeat(9000))));
    const { metrics } = realm.nodes[1]?.ctx ?? realm.ctx;
    const readers = async () => (await metrics.waitingPolls.get()).values[0]?.value ?? 0;
    const before = await readers();

    success(await hamlet.on(0).call(regenerateApiKey, {}));

    await expect.poll(readers).toBe(before - 1);
    stream.response.resume();
    expect(await stream.end()).toMatchObject({ event: "error", data: { code: "UNAUTHORIZED" } });
  });

  test("on a node that is cut off from the log, too", { timeout: 120_000 }, async () => {
    const proxy = await startTcpProxy(Number(new URL(inject("natsUrl")).port));
    const environment = {
      SKEIN_NATS_URL: `nats://127.0.0.1:${proxy.port}`,
      SKEIN_ROLES: "api",
      SKEIN_HEARTBEAT_SECONDS: "2",
    };
    const realm = await newRealm([await startNode(), await startNode({ environment })]);
    const hamlet = await realm.user("hamlet");
    const queue = await hamlet.register(["message"]);
    const stream = await TestStream.open(queue, { node: 1 });
    const id = await note(realm.admin, hamlet, "before");
    await stream.until(({ messageIds }) => messageIds.includes(id));

    proxy.hold();
    // It would arrive if the node still read the log.
    await note(realm.admin, hamlet, "while it is cut off");
    success(await hamlet.on(0).call(regenerateApiKey, {}));
    await note(realm.admin, hamlet, "after");
    const end = await stream.end();
    proxy.release();

    expect(end).toMatchObject({ event: "error", data: { code: "UNAUTHORIZED" } });
    expect(stream.messageIds).toEqual([id]);
  });
});

describe("the server", () => {
  test("ends streams when it stops, and they resume at another node", { timeout: 120_000 }, async () => {
    const server = await startOwnServer();
    const leaving = await startProcess(server, { environment: { SKEIN_SHUTDOWN_SECONDS: "600" } });
    const realm = await newRealm([server]);
    const queue = await realm.admin.register(["message"]);
    const stream = await TestStream.open(queue, { url: leaving.url });
    const id = await note(realm.admin, realm.admin, "before");
    await stream.until(({ messageIds }) => messageIds.includes(id));

    leaving.child.kill("SIGTERM");

    expect(await stream.end()).toEqual({ event: "end", data: { reason: "shutdown" } });
    expect(await leaving.ended).toBe(0);
    const later = await note(realm.admin, realm.admin, "after");
    const resumed = await TestStream.open(queue, { lastEventId: String(stream.position) });
    await resumed.until(({ messageIds }) => messageIds.length > 0);
    expect(resumed.messageIds).toEqual([later]);
  });

  test("tells streams when it becomes read-only and when it no longer is", { timeout: 120_000 }, async () => {
    const server = await startOwnServer();
    const realm = await newRealm([server]);
    const queue = await realm.admin.register(["message"]);
    const stream = await TestStream.open(queue);
    const told = () => stream.frames.filter(({ event }) => event === "maintenance").map(({ data }) => data);

    await transaction(server.ctx.db, "begin", (tx) => beginMaintenance(tx, "Moving 🏠"));
    await stream.until(() => told().length > 0);
    const second = await TestStream.open(await realm.admin.register(["message"]));
    expect(second.response.headers[maintenanceHeader.toLowerCase()]).toBe(encodeURIComponent("Moving 🏠"));
    await transaction(server.ctx.db, "end", (tx) => endMaintenance(tx));
    await stream.until(() => told().length > 1);

    expect(told()).toEqual(['{"message":"Moving 🏠"}', '{"message":null}']);
    const id = await note(realm.admin, realm.admin, "still streaming");
    await stream.until(({ messageIds }) => messageIds.includes(id));
  });

  test("ends streams with BAD_EVENT_QUEUE_ID when a new epoch begins", { timeout: 120_000 }, async () => {
    const server = await startOwnServer();
    const realm = await newRealm([server]);
    const queue = await realm.admin.register(["message"]);
    const stream = await TestStream.open(queue);
    await stream.until(({ text }) => text !== "");

    // A part that does not fit into the log; nothing in the server writes one.
    await sql`select pg_logical_emit_message(true, 'skein', '0' || chr(10) || '{"r":0,"q":["' || repeat('x', 9000000) || '"]}')`.execute(
      server.ctx.db,
    );

    expect(await stream.end()).toEqual({ event: "error", data: bad(queue.id) });
  });
});
