/** Events over a WebSocket: what streams.test.ts tests of streams, as far as it differs, and what only a WebSocket can do. */
import { once } from "node:events";
import { connect } from "node:net";
import { regenerateApiKey } from "@skein/api/authentication.ts";
import type { QueuedEvent } from "@skein/api/events.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { deleteQueue } from "@skein/api/registration.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { authorizationOf } from "../../test/files.ts";
import { startNode } from "../../test/nodes.ts";
import { startOwnServer } from "../../test/own-server.ts";
import { newRealm, success, type TestQueue, type TestRealm, type TestUser } from "../../test/realm.ts";
import { startProcess } from "../../test/server-process.ts";
import { TestBrowser, withPassword } from "../../test/test-browser.ts";
import { beginMaintenance } from "./maintenance.ts";
import { transaction } from "../platform/db/transaction.ts";

const note = async (from: TestUser, to: TestUser, content: string) =>
  success(await from.call(sendMessage, { type: "direct", to: [to.id], content })).id;

type SocketFrame = { type: string; events?: QueuedEvent[]; [field: string]: unknown };

interface OpenOptions {
  node?: number;
  url?: string;
  surface?: "/api/v1" | "/json";
  headers?: Record<string, string>;
  lastEventId?: number | "none";
}

class TestSocket {
  readonly client: WebSocket;
  readonly frames: SocketFrame[] = [];
  /** The code of the end; undefined while it is open. */
  closed: number | undefined;
  /** The response, if the handshake was refused. */
  refused: { status: number | undefined; body: unknown } | undefined;
  #changed = (): void => undefined;

  constructor(queue: TestQueue, { node = 0, url, surface = "/api/v1", headers, lastEventId }: OpenOptions = {}) {
    const { realm } = queue.user;
    const site = (url ?? realm.nodes[node % realm.nodes.length]?.url ?? "").replace("http", "ws");
    const position = lastEventId === "none" ? "" : `&last_event_id=${lastEventId ?? queue.lastEventId}`;
    this.client = new WebSocket(`${site}${surface}/events/socket?queue_id=${queue.id}${position}`, {
      headers: { ...(headers ?? { authorization: authorizationOf(queue.user) }), "x-forwarded-host": realm.host },
    });
    this.client.on("message", (data: Buffer) => {
      this.frames.push(JSON.parse(data.toString()) as SocketFrame); // as the server sends it
      this.#changed();
    });
    this.client.on("unexpected-response", (_request, response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (more: string) => (text += more));
      response.on("end", () => {
        this.refused = { status: response.statusCode, body: JSON.parse(text) };
        this.#changed();
      });
    });
    this.client.on("error", () => undefined);
    this.client.on("close", (code) => {
      this.closed = code;
      this.#changed();
    });
    onTestFinished(() => this.client.terminate());
  }

  get events(): QueuedEvent[] {
    return this.frames.flatMap(({ events = [] }) => events);
  }

  get messageIds(): number[] {
    return this.events.flatMap((event) => (event.type === "message" ? [event.message.id] : []));
  }

  async until(isDone: (socket: this) => boolean): Promise<this> {
    while (!isDone(this)) {
      if (this.closed !== undefined || this.refused)
        throw new Error(`it ended: ${JSON.stringify(this.refused ?? this.frames.at(-1))}`);
      await new Promise<void>((resolve) => (this.#changed = resolve));
    }
    return this;
  }

  async end(): Promise<{ code: number | undefined; last: SocketFrame | undefined }> {
    while (this.closed === undefined) await new Promise<void>((resolve) => (this.#changed = resolve));
    return { code: this.closed, last: this.frames.at(-1) };
  }

  async refusal(): Promise<unknown> {
    while (!this.refused) {
      if (this.client.readyState === WebSocket.OPEN) throw new Error("it was not refused");
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
        this.client.once("open", resolve);
      });
    }
    return this.refused;
  }
}

const bad = (queueId: string) => ({
  result: "error",
  msg: `Bad event queue ID: ${queueId}`,
  code: "BAD_EVENT_QUEUE_ID",
  queue_id: queueId,
});

/** Where the queue begins, as the other nodes would find it. */
const beginningOf = async ({ ctx }: TestRealm, id: string) =>
  (await ctx.db.selectFrom("event_queues").select("first_event_id").where("id", "=", id).executeTakeFirstOrThrow())
    .first_event_id;

describe("a socket", () => {
  test("delivers the events of the queue on any node, exactly once when it resumes", async () => {
    const realm = await newRealm();
    const queue = await realm.admin.register(["message"]);
    const sent: number[] = [];
    const received: number[] = [];

    for (let round = 0; round < 12; round++) {
      for (let at = 0; at < 3; at++) sent.push(await note(realm.admin, realm.admin, `note ${round} ${at}`));
      const socket = new TestSocket(queue, { node: round });
      const later = await note(realm.admin, realm.admin, "later");
      sent.push(later);
      await socket.until(({ messageIds }) => messageIds.length >= 1 + (round % 4));
      socket.client.terminate();
      received.push(...socket.messageIds);
      queue.lastEventId = socket.events.at(-1)?.id ?? queue.lastEventId;
    }
    const last = new TestSocket(queue);
    await last.until(({ messageIds }) => received.length + messageIds.length >= sent.length);

    expect([...received, ...last.messageIds]).toEqual(sent);
  });

  test("moves the beginning of its queue to what the client acknowledges, and not further", async () => {
    const environment = { SKEIN_QUEUE_IDLE_SECONDS: "4", SKEIN_ROLES: "api" };
    const realm = await newRealm([await startNode({ environment })]);
    const queue = await realm.admin.register(["message"]);
    const ids = [await note(realm.admin, realm.admin, "one"), await note(realm.admin, realm.admin, "two")];
    const socket = new TestSocket(queue);
    await socket.until(({ messageIds }) => messageIds.length === 2);
    const [first, second] = socket.events.map(({ id }) => id);

    socket.client.send(JSON.stringify({ type: "ack", last_event_id: first }));
    await expect.poll(() => beginningOf(realm, queue.id)).toBe(first);
    // An older acknowledgement changes nothing.
    socket.client.send(JSON.stringify({ type: "ack", last_event_id: -1 }));
    const other = await startNode({ environment: { SKEIN_ROLES: "api" } });
    const resumed = new TestSocket(queue, { url: other.url, lastEventId: "none" });
    await resumed.until(({ messageIds }) => messageIds.length > 0);
    expect(resumed.messageIds).toEqual(ids.slice(1));

    socket.client.send(JSON.stringify({ type: "ack", last_event_id: (second ?? 0) + 1 }));
    expect(await socket.end()).toMatchObject({
      code: 1008,
      last: { type: "error", result: "error", code: "BAD_REQUEST", msg: expect.stringContaining("newer than") },
    });
    expect(await beginningOf(realm, queue.id)).toBe(first);
  });

  test("is refused like a read of events before it begins, and without a handshake", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const foreign = await realm.admin.register(["message"]);
    const headers = { authorization: authorizationOf(hamlet) };

    for (const node of [0, 1])
      expect(await new TestSocket(foreign, { node, headers }).refusal()).toEqual({
        status: 400,
        body: bad(foreign.id),
      });
    expect(await new TestSocket(foreign, { headers: {} }).refusal()).toMatchObject({ status: 401 });
    const own = new TestSocket(foreign);
    await once(own.client, "open");
    own.client.close();
    await own.end();
    await expect
      .poll(() => realm.ctx.metrics.registry.metrics())
      .toMatch(/skein_http_answers_total\{[^}]*group="events"[^}]*class="1xx"[^}]*\} [1-9]/);
    const plain = await realm.admin.request("GET", "/events/socket", { queue_id: foreign.id });
    expect(plain).toMatchObject({ result: "error", msg: expect.stringContaining("WebSocket") });
  });

  test("opens with a browser's session only for pages of the server itself", async () => {
    const realm = await newRealm();
    const hamlet = await withPassword(realm, "hamlet");
    const browser = new TestBrowser(realm);
    await browser.signIn(hamlet);
    const queue = await hamlet.register(["message"]);
    const cookie = browser.cookieHeader();
    const open = (origin?: string) =>
      new TestSocket(queue, { surface: "/json", headers: { cookie, ...(origin === undefined ? {} : { origin }) } });

    const refusals = [
      undefined,
      "null",
      "https://evil.example",
      `https://${realm.host}`,
      `http://${realm.host}:81`,
      `http://${realm.host}.evil.example`,
      `http://sub.${realm.host}`,
    ];
    for (const origin of refusals) expect(await open(origin).refusal(), origin).toMatchObject({ status: 403 });
    const own = open(`http://${realm.host}`);
    const id = await note(realm.admin, hamlet, "for the page");
    await own.until(({ messageIds }) => messageIds.includes(id));

    // Nor does a page of another site use somebody's key.
    const authorization = authorizationOf(hamlet);
    const foreign = new TestSocket(queue, { headers: { authorization, origin: "https://evil.example" } });
    expect(await foreign.refusal()).toMatchObject({ status: 403 });
    await browser.send("/accounts/logout/", {}, { node: 0 });
    expect(await own.end()).toMatchObject({ code: 1008, last: { type: "error", code: "UNAUTHORIZED" } });
  });

  test("ends when another reader takes its queue, its key is revoked or its queue deleted", async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const queue = await hamlet.register(["message"]);
    const other = await hamlet.register(["message"]);
    const first = await new TestSocket(queue, { node: 1 }).until(({ client }) => client.readyState <= WebSocket.OPEN);
    await once(first.client, "open");
    const [second, third] = [new TestSocket(queue, { node: 1 }), new TestSocket(other, { node: 1 })];

    expect(await first.end()).toEqual({ code: 1000, last: { type: "end", reason: "replaced" } });
    const id = await note(realm.admin, hamlet, "before");
    await Promise.all([second, third].map((each) => each.until(({ messageIds }) => messageIds.includes(id))));
    success(await hamlet.on(0).call(deleteQueue, { queue_id: other.id }));
    expect(await third.end()).toEqual({ code: 1008, last: { type: "error", ...bad(other.id) } });
    success(await hamlet.on(0).call(regenerateApiKey, {}));
    await note(realm.admin, hamlet, "after");
    expect(await second.end()).toMatchObject({ code: 1008, last: { type: "error", code: "UNAUTHORIZED" } });
    expect(second.messageIds).toEqual([id]);
  });

  test("sends heartbeats and what the operator says, and lasts longer than a request may take to arrive", async () => {
    const environment = { SKEIN_HEARTBEAT_SECONDS: "1", SKEIN_REQUEST_TIMEOUT_SECONDS: "1" };
    const server = await startOwnServer(environment);
    const realm = await newRealm([server]);
    const queue = await realm.admin.register(["message"]);
    const socket = new TestSocket(queue);

    await socket.until(({ events }) => events.filter(({ type }) => type === "heartbeat").length >= 4);
    await transaction(server.ctx.db, "begin", (tx) => beginMaintenance(tx, "Moving"));
    await socket.until(({ frames }) =>
      frames.some(({ type, message }) => type === "maintenance" && message === "Moving"),
    );

    expect(socket.closed).toBeUndefined();
  });

  test("ends when its node stops, and does not keep it from stopping", { timeout: 120_000 }, async () => {
    const server = await startOwnServer();
    const leaving = await startProcess(server, { environment: { SKEIN_SHUTDOWN_SECONDS: "600" } });
    const realm = await newRealm([server]);
    const [queue, other] = [await realm.admin.register(["message"]), await realm.admin.register(["message"])];
    const [socket, silent] = [queue, other].map((each) => new TestSocket(each, { url: leaving.url }));
    const id = await note(realm.admin, realm.admin, "before");
    for (const each of [socket, silent]) await each?.until(({ messageIds }) => messageIds.includes(id));
    // Does not confirm the end.
    silent?.client.pause();

    leaving.child.kill("SIGTERM");

    expect(await socket?.end()).toEqual({ code: 1001, last: { type: "end", reason: "shutdown" } });
    expect(await leaving.ended).toBe(0);
  });
});

describe("hostile frames", () => {
  const refusedFrames: [string, string | Buffer, number][] = [
    ["no JSON", "{", 1008],
    ["null", "null", 1008],
    ["another type", '{"type":"events","events":[]}', 1008],
    ["no position", '{"type":"ack"}', 1008],
    ["a text as position", '{"type":"ack","last_event_id":"7"}', 1008],
    ["a fraction", '{"type":"ack","last_event_id":1.5}', 1008],
    ["a huge position", '{"type":"ack","last_event_id":1e300}', 1008],
    ["a binary frame", Buffer.from('{"type":"ack","last_event_id":-1}'), 1008],
    ["a frame that is too large", `{"type":"ack","last_event_id":-1${" ".repeat(2000)}}`, 1009],
  ];

  test.each(refusedFrames)("%s ends the connection, and nothing else", async (_, frame, code) => {
    const realm = await newRealm();
    const [queue, other] = [await realm.admin.register(["message"]), await realm.admin.register(["message"])];
    const [hostile, bystander] = [new TestSocket(queue), new TestSocket(other)];
    await once(hostile.client, "open");

    hostile.client.send(frame);

    expect((await hostile.end()).code).toBe(code);
    // The library ends a frame that is too large by itself.
    expect(hostile.frames.at(-1)?.["code"]).toBe(code === 1008 ? "BAD_REQUEST" : undefined);
    const id = await note(realm.admin, realm.admin, "still here");
    await bystander.until(({ messageIds }) => messageIds.includes(id));
  });

  test("a flood of them is cut off", async () => {
    const realm = await newRealm();
    const socket = new TestSocket(await realm.admin.register(["message"]));
    await once(socket.client, "open");

    for (let at = 0; at < 3000; at++) {
      if (at % 2 === 0) socket.client.ping();
      else socket.client.send('{"type":"ack","last_event_id":-1}');
    }

    expect(await socket.end()).toMatchObject({ code: 1008, last: { type: "error", code: "RATE_LIMIT_HIT" } });
  });

  test("bytes that are no frames, and a bad handshake, end the connection", async () => {
    const realm = await newRealm();
    const queue = await realm.admin.register(["message"]);
    const { hostname, port } = new URL(realm.nodes[0]?.url ?? "");
    const handshake = (key: string) =>
      [
        `GET /api/v1/events/socket?queue_id=${queue.id} HTTP/1.1`,
        `Host: ${realm.host}`,
        `X-Forwarded-Host: ${realm.host}`,
        `Authorization: ${authorizationOf(realm.admin)}`,
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        `Sec-WebSocket-Key: ${key}`,
        "\r\n",
      ].join("\r\n");
    const answerTo = async (bytes: string) => {
      const socket = connect(Number(port), hostname);
      let text = "";
      socket.setEncoding("latin1").on("data", (more: string) => (text += more));
      socket.write(bytes);
      await once(socket, "close");
      return text;
    };

    expect(await answerTo(handshake("short"))).toMatch(/^HTTP\/1\.1 400 /);
    expect(await answerTo(`${handshake(Buffer.alloc(16).toString("base64"))}\xff\xff\xff\xff`)).toMatch(
      /^HTTP\/1\.1 101 /,
    );
    const socket = new TestSocket(queue);
    const id = await note(realm.admin, realm.admin, "still here");
    await socket.until(({ messageIds }) => messageIds.includes(id));
  });

  test("a reader that does not read is disconnected, and can resume", { timeout: 120_000 }, async () => {
    const environment = { SKEIN_REQUEST_TIMEOUT_SECONDS: "1", SKEIN_ROLES: "api" };
    const realm = await newRealm([await startNode(), await startNode({ environment })]);
    const queue = await realm.admin.register(["message"]);
    const socket = new TestSocket(queue, { node: 1 });
    await once(socket.client, "open");
    socket.client.pause();
    const { metrics } = realm.nodes[1]?.ctx ?? realm.ctx;
    const readers = async () => (await metrics.waitingPolls.get()).values[0]?.value;
    await expect.poll(readers).toBe(1);

    const ids: number[] = [];
    while ((await readers()) === 1)
      ids.push(
        ...(await Promise.all(Array.from({ length: 20 }, () => note(realm.admin, realm.admin, "x".repeat(9000))))),
      );
    socket.client.resume();
    await socket.end();

    const rest = new TestSocket(queue, { lastEventId: socket.events.at(-1)?.id ?? queue.lastEventId });
    const received = () => [...socket.messageIds, ...rest.messageIds];
    await rest.until(() => received().length >= ids.length);
    expect(received().toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  });
});
