import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NoResponse, Refusal } from "./failures.ts";
import { followEvents, type FollowOptions } from "./follow-events.ts";
import { createClient } from "./route-client.ts";

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] }),
);
afterEach(() => void vi.useRealTimers());

const json = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });
const success = (fields: object) => json(200, { result: "success", msg: "", ...fields });
const failure = (status: number, code: string, headers?: Record<string, string>) =>
  json(status, { result: "error", msg: code, code }, headers);

const event = (id: number) => ({ id, type: "reaction" });
const events = (...ids: number[]) => success({ events: ids.map(event), queue_id: "q" });
const heartbeat = (id: number) => success({ events: [{ id, type: "heartbeat" }], queue_id: "q" });
const lost = () => failure(400, "BAD_EVENT_QUEUE_ID");
const noConnection = () => Promise.reject(new TypeError("fetch failed"));
const proxyPage = (status: number) => new Response("<h1>Sorry</h1>", { status });

type Reply = (signal?: AbortSignal | null) => Response | Promise<Response>;

/** The request stays unanswered until it is aborted. */
const noResponse: Reply = (signal) => {
  const { promise, reject } = Promise.withResolvers<Response>();
  signal?.addEventListener("abort", () => reject(signal.reason as Error));
  return promise;
};

/** A server with these replies to reads, and these to registrations before all others succeed. */
function fakeServer(reads: Reply[], registrations: Reply[] = [], streams?: Reply[]) {
  const requests: { name: string; form: URLSearchParams; at: number; signal: AbortSignal | undefined }[] = [];
  let queues = 0;
  const client = createClient({
    site: "https://chat.example.com",
    email: "echo@example.com",
    apiKey: "k",
    fetch: async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.pathname === "/api/v1/events/stream") {
        if (!streams) return proxyPage(404);
        requests.push({ name: "stream", form: url.searchParams, at: Date.now(), signal: init?.signal ?? undefined });
        return (streams.shift() ?? noResponse)(init?.signal);
      }
      const isRead = url.pathname === "/api/v1/events";
      const form = isRead ? url.searchParams : new URLSearchParams(init?.body as URLSearchParams); // it sends forms
      requests.push({ name: isRead ? "read" : "register", form, at: Date.now(), signal: init?.signal ?? undefined });
      if (!isRead) {
        const reply = registrations.shift();
        return reply ? reply() : success({ queue_id: `q${++queues}`, last_event_id: -1, user_id: 7 });
      }
      return (reads.shift() ?? noResponse)(init?.signal);
    },
  });
  const names = () => requests.map(({ name }) => name);
  const readFrom = (kind = "read") =>
    requests
      .filter(({ name }) => name === kind)
      .map(({ form }) => `${form.get("queue_id")}:${form.get("last_event_id")}`);
  return { client, requests, names, readFrom };
}

/** Lets timers fire as soon as nothing else happens. */
async function inFakeTime<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const settled = work.finally(() => (isDone = true));
  settled.catch(() => undefined); // awaited below
  while (!isDone) {
    // Requests have responses by then; otherwise their timeouts would be the next timers.
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersToNextTimerAsync();
  }
  return settled;
}

/** Follows events up to and including the one with this id. */
async function followUntil(
  server: ReturnType<typeof fakeServer>,
  lastId: number,
  options: FollowOptions = {},
): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of followEvents(server.client, { event_types: ["reaction"] }, options)) {
    ids.push(id);
    if (id === lastId) break;
  }
  return ids;
}

test("events are handed out once each, in order, and without heartbeats", async () => {
  const server = fakeServer([() => events(0, 1), () => heartbeat(2), () => events(1, 2, 3), () => events(4)]);

  expect(await inFakeTime(followUntil(server, 4))).toEqual([0, 1, 3, 4]);
  expect(server.names()).toEqual(["register", "read", "read", "read", "read"]);
  expect(server.requests[0]?.form.get("event_types")).toBe('["reaction"]');
});

test("a read asks for what follows the events that were handled", async () => {
  const server = fakeServer([() => events(0, 1, 2), () => events(3)]);
  const followed = followEvents(server.client, {});
  const iterator = followed[Symbol.asyncIterator]();

  await iterator.next();
  await iterator.next();
  await iterator.next();
  expect(followed.position).toEqual({ queue_id: "q1", last_event_id: 2 });
  // The third event is not handled yet.
  expect(server.readFrom()).toEqual(["q1:-1"]);

  await iterator.next();
  expect(server.readFrom()).toEqual(["q1:-1", "q1:2"]);
});

test("failed requests are repeated with growing, varying delays, and the queue is kept", async () => {
  const failing = [noConnection, () => failure(502, "X"), () => proxyPage(404), () => proxyPage(200)];
  const server = fakeServer([
    () => events(0),
    ...failing,
    ...Array.from({ length: 6 }, () => noConnection),
    () => events(1),
  ]);
  const retries: { problem: unknown; wait: number }[] = [];

  const ids = await inFakeTime(
    followUntil(server, 1, { onRetry: (problem, wait) => void retries.push({ problem, wait }) }),
  );

  expect(ids).toEqual([0, 1]);
  expect(server.names().filter((name) => name === "register")).toHaveLength(1);
  expect(retries).toHaveLength(10);
  expect(retries.every(({ problem }) => problem instanceof NoResponse)).toBe(true);
  for (const [index, { wait }] of retries.entries()) {
    const most = Math.min(30_000, 250 * 2 ** index);
    expect(wait).toBeGreaterThanOrEqual(most / 2);
    expect(wait).toBeLessThanOrEqual(most);
  }
  const reads = server.requests.filter(({ name }) => name === "read").slice(1);
  for (const [index, { wait }] of retries.entries()) {
    const waited = (reads[index + 1]?.at ?? 0) - (reads[index]?.at ?? 0);
    expect(waited).toBeGreaterThanOrEqual(Math.floor(wait));
  }
});

test("after a success, the first delay is short again", async () => {
  const outage: Reply[] = Array.from({ length: 5 }, () => noConnection);
  const server = fakeServer([...outage, () => events(0), noConnection, () => events(1)]);
  const waits: number[] = [];

  await inFakeTime(followUntil(server, 1, { onRetry: (_problem, wait) => void waits.push(wait) }));

  expect(waits[4]).toBeGreaterThan(1000);
  expect(waits[5]).toBeLessThanOrEqual(250);
});

test.each([
  ["429", () => failure(429, "RATE_LIMIT_HIT", { "retry-after": "7" })],
  ["503", () => failure(503, "UNAVAILABLE", { "retry-after": "7" })],
  ["a proxy's 503", () => new Response("", { status: 503, headers: { "retry-after": "7" } })],
])("after %s, nothing is requested before Retry-After", async (_name, refuse) => {
  const server = fakeServer([refuse, () => events(0)], [refuse]);

  await inFakeTime(followUntil(server, 0));

  expect(server.names()).toEqual(["register", "register", "read", "read"]);
  const [first, second, third, fourth] = server.requests.map(({ at }) => at);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(7000);
  expect((fourth ?? 0) - (third ?? 0)).toBeGreaterThanOrEqual(7000);
});

test("a lost queue is replaced at once, and the program is told of the gap before the next event", async () => {
  const server = fakeServer([() => events(0), noConnection, lost, () => events(0)]);
  const log: unknown[] = [];

  const work = async () => {
    const options: FollowOptions = {
      onRegister: async ({ queue_id, user_id }, hasGap) => {
        await Promise.resolve();
        log.push({ queue_id, user_id, hasGap });
      },
    };
    for await (const { id } of followEvents(server.client, {}, options)) if (log.push(id) === 4) break;
  };
  await inFakeTime(work());

  expect(log).toEqual([
    { queue_id: "q1", user_id: 7, hasGap: false },
    0,
    { queue_id: "q2", user_id: 7, hasGap: true },
    0,
  ]);
  expect(server.readFrom()).toEqual(["q1:-1", "q1:0", "q1:0", "q2:-1"]);
  const [, , , lostAt, registeredAgain] = server.requests.map(({ at }) => at);
  expect(registeredAgain).toBe(lostAt);
});

test("if new queues are lost as well, registrations are spaced out", async () => {
  const server = fakeServer([...Array.from({ length: 6 }, () => lost), () => events(0)]);
  const waits: number[] = [];

  await inFakeTime(followUntil(server, 0, { onRetry: (_problem, wait) => void waits.push(wait) }));

  expect(waits).toHaveLength(6);
  expect(waits[5]).toBeGreaterThanOrEqual(4000);
});

test("a program continues at a stored position without registering", async () => {
  const server = fakeServer([() => events(6)]);

  const position = { queue_id: "earlier", last_event_id: 5 };
  expect(await inFakeTime(followUntil(server, 6, { position }))).toEqual([6]);
  expect(server.names()).toEqual(["read"]);
  expect(server.readFrom()).toEqual(["earlier:5"]);
});

test("if the queue of a stored position has expired, there is a gap", async () => {
  const server = fakeServer([lost, () => events(0)]);
  const gaps: boolean[] = [];

  const position = { queue_id: "earlier", last_event_id: 5 };
  await inFakeTime(followUntil(server, 0, { position, onRegister: (_state, hasGap) => void gaps.push(hasGap) }));

  expect(gaps).toEqual([true]);
  expect(server.names()).toEqual(["read", "register", "read"]);
});

test.each([
  ["a wrong key", () => failure(401, "UNAUTHORIZED")],
  ["a deactivated account", () => failure(401, "USER_DEACTIVATED")],
  ["wrong parameters", () => failure(400, "BAD_REQUEST")],
])("%s ends the loop with the server's refusal", async (_name, refuse) => {
  await expect(inFakeTime(followUntil(fakeServer([], [refuse]), 0))).rejects.toThrow(Refusal);

  const later = fakeServer([() => events(0), refuse]);
  await expect(inFakeTime(followUntil(later, 1))).rejects.toThrow(Refusal);
});

test.each([200, 404])("a site that is no such server, with a page of status %i, is not asked again", async (status) => {
  const server = fakeServer([], [() => proxyPage(status)]);

  await expect(inFakeTime(followUntil(server, 0))).rejects.toThrow(`response with status ${status}`);
  expect(server.names()).toEqual(["register"]);
});

test("a program that starts before its server waits for it", async () => {
  const server = fakeServer([() => events(0)], [noConnection, () => proxyPage(502)]);

  expect(await inFakeTime(followUntil(server, 0))).toEqual([0]);
  expect(server.names()).toEqual(["register", "register", "register", "read"]);
});

test("if the program cannot take over the new state, the next iteration registers again", async () => {
  const server = fakeServer([() => events(0), lost, () => events(0)]);
  const gaps: boolean[] = [];
  const onRegister = (_state: unknown, hasGap: boolean) => {
    if (gaps.push(hasGap) === 2) throw new Error("cannot fetch what was missed");
  };
  const followed = followEvents(server.client, {}, { onRegister });
  const next = async (count: number) => {
    for await (const _ of followed) if (--count === 0) break;
  };

  await expect(inFakeTime(next(2))).rejects.toThrow("cannot fetch what was missed");
  expect(followed.position).toEqual({ queue_id: "q1", last_event_id: 0 });
  await inFakeTime(next(1));

  expect(gaps).toEqual([false, true, true]);
  expect(followed.position).toEqual({ queue_id: "q3", last_event_id: 0 });
});

test("an error of the program ends the loop, and the position stays at its event", async () => {
  const server = fakeServer([() => events(0, 1, 2)]);
  const followed = followEvents(server.client, {});
  const work = async () => {
    for await (const { id } of followed) if (id === 1) throw new Error("cannot handle this");
  };

  await expect(inFakeTime(work())).rejects.toThrow("cannot handle this");
  expect(followed.position).toEqual({ queue_id: "q1", last_event_id: 1 });
});

test("aborting ends a read in flight, and the loop", async () => {
  const stop = new AbortController();
  const server = fakeServer([() => events(0)]);
  const ids: number[] = [];
  const work = async () => {
    for await (const { id } of followEvents(server.client, {}, { signal: stop.signal })) ids.push(id);
  };
  const done = work();
  await vi.waitFor(() => expect(server.names()).toEqual(["register", "read", "read"]));

  stop.abort();
  await done;

  expect(ids).toEqual([0]);
  expect(server.requests[2]?.signal?.aborted).toBe(true);
});

test("aborting ends a wait before a retry, and no more events are handed out", async () => {
  const stop = new AbortController();
  const waiting = fakeServer([() => failure(429, "RATE_LIMIT_HIT", { "retry-after": "1000" })]);
  const onRetry = () => queueMicrotask(() => stop.abort());
  const begun = Date.now();
  for await (const each of followEvents(waiting.client, {}, { signal: stop.signal, onRetry })) expect(each).toBe(0);
  expect(Date.now() - begun).toBeLessThan(1000);

  const other = new AbortController();
  const ids: number[] = [];
  for await (const { id } of followEvents(fakeServer([() => events(0, 1)]).client, {}, { signal: other.signal })) {
    ids.push(id);
    other.abort();
  }
  expect(ids).toEqual([0]);
});

test("a read whose connection is dead is given up and repeated", async () => {
  const server = fakeServer([() => events(0), noResponse, () => events(1)]);
  const begun = Date.now();

  expect(await inFakeTime(followUntil(server, 1))).toEqual([0, 1]);
  expect(server.requests[2]?.signal?.aborted).toBe(true);
  // The server ends a read after 90 seconds.
  expect(Date.now() - begun).toBeGreaterThan(90_000);
});

test("a signal that outlives many requests collects nothing", async () => {
  const stop = new AbortController();
  const [add, remove] = [vi.spyOn(stop.signal, "addEventListener"), vi.spyOn(stop.signal, "removeEventListener")];
  const replies: Reply[] = Array.from({ length: 50 }, (_, id) => () => (id % 2 === 0 ? noConnection() : events(id)));

  await inFakeTime(followUntil(fakeServer(replies), 49, { signal: stop.signal }));

  expect(add.mock.calls.length).toBeGreaterThan(50);
  expect(remove.mock.calls.length).toBe(add.mock.calls.length);
  expect(vi.getTimerCount()).toBe(0);
});

test("a node that ends reads without events is not asked in a tight loop", async () => {
  const server = fakeServer([...Array.from({ length: 20 }, (_, id) => () => heartbeat(id)), () => events(20)]);
  const begun = Date.now();

  await inFakeTime(followUntil(server, 20));

  expect(Date.now() - begun).toBeGreaterThan(500);
});

/** A stream of these pieces, which then stays open, ends, or breaks. */
function streamOf(pieces: string[], then: "open" | "end" | "break" = "open"): Reply {
  return (signal) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        if (then === "end") controller.close();
        if (then === "break") setTimeout(() => controller.error(new TypeError("terminated")), 1);
        signal?.addEventListener("abort", () => controller.error(signal.reason));
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
  };
}
const begun = ": stream\n\n";
const frame = (id: number) => `id: ${id}\ndata: ${JSON.stringify(event(id))}\n\n`;

test("a stream delivers events without reads, also those that arrive in pieces", async () => {
  const second = frame(1);
  const server = fakeServer(
    [],
    [],
    [streamOf([begun, frame(0) + second.slice(0, 9), second.slice(9), ": keep-alive\nid: 5\n\n", frame(6)])],
  );

  expect(await inFakeTime(followUntil(server, 6))).toEqual([0, 1, 6]);
  expect(server.names()).toEqual(["register", "stream"]);
  // It is closed when nobody reads it any more.
  expect(server.requests.at(-1)?.signal?.aborted).toBe(true);
});

test("a stream that is cut off or ends is resumed after its newest complete event or keep-alive", async () => {
  const server = fakeServer(
    [],
    [],
    [
      streamOf([begun, frame(0) + frame(1).slice(0, -1)], "break"),
      streamOf([begun, frame(1), ": keep-alive\nid: 4\n\n", 'event: end\ndata: {"reason":"shutdown"}\n\n'], "end"),
      streamOf([begun, frame(5)]),
    ],
  );

  expect(await inFakeTime(followUntil(server, 5))).toEqual([0, 1, 5]);
  expect(server.readFrom("stream")).toEqual(["q1:-1", "q1:0", "q1:4"]);
});

test("the error of a stream is found by a read, and a lost queue is replaced", async () => {
  const failed = `event: error\ndata: ${JSON.stringify({ result: "error", code: "BAD_EVENT_QUEUE_ID" })}\n\n`;
  const server = fakeServer([lost], [], [streamOf([begun, frame(0), failed], "end"), streamOf([begun, frame(1)])]);

  expect(await inFakeTime(followUntil(server, 1))).toEqual([0, 1]);
  expect(server.names()).toEqual(["register", "stream", "read", "register", "stream"]);
});

test.each<[string, Reply[]]>([
  ["does not exist", [() => proxyPage(404)]],
  ["is no stream", [() => proxyPage(200)]],
  ["is held back before its head", [noResponse]],
  ["is held back after its head", [streamOf([])]],
  ["breaks again and again", Array.from({ length: 3 }, () => streamOf([begun], "break"))],
])("reads replace a stream that %s, until it is tried again", async (_, failing) => {
  const later: Reply = async () => {
    await new Promise((resume) => setTimeout(resume, 40_000));
    return events(1);
  };
  const server = fakeServer([() => events(0), later, later], [], [...failing, streamOf([begun, frame(2)])]);

  expect(await inFakeTime(followUntil(server, 2))).toEqual([0, 1, 2]);
  const attempts = failing.map(() => "stream");
  expect(server.names()).toEqual(["register", ...attempts, "read", "read", "read", "stream"]);
});

test("a stream that falls silent is opened again", async () => {
  const server = fakeServer([], [], [streamOf([begun, frame(0)]), streamOf([begun, frame(1)])]);

  expect(await inFakeTime(followUntil(server, 1))).toEqual([0, 1]);
  const [first, second] = server.requests.filter(({ name }) => name === "stream");
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(60_000);
});
