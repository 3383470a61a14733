import { afterEach, beforeEach, expect, test, vi } from "vitest";

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
  });
  vi.resetModules();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

type Answer = (signal: AbortSignal | undefined) => Response | Promise<Response>;

/** The request stays unanswered until it is aborted. */
const waiting: Answer = (signal) => {
  const { promise, reject } = Promise.withResolvers<Response>();
  signal?.addEventListener("abort", () => reject(signal.reason as Error));
  return promise;
};

/** Starts the client with a server that responds from a list; after that it keeps the client waiting. */
async function start(answers: { register?: Answer[]; poll?: Answer[]; stream?: Answer[] }) {
  /** Requests, with their position if they read events. */
  const asked: string[] = [];
  const hasStreamed = (): boolean => asked.some((name) => name.startsWith("stream"));
  vi.stubGlobal("fetch", async (input: string, { method = "GET", signal }: RequestInit = {}) => {
    const url = new URL(input, "http://localhost");
    const position = `${url.searchParams.get("queue_id")}:${url.searchParams.get("last_event_id")}`;
    const respond = (name: string, list: Answer[] = []) => {
      asked.push(name);
      return (list.shift() ?? waiting)(signal ?? undefined);
    };
    if (url.pathname === "/json/register") return respond("register", answers.register);
    if (url.pathname === "/json/events/stream") return respond(`stream ${position}`, answers.stream);
    if (method === "DELETE") return respond("delete", [success({})]);
    const isCheck = url.searchParams.get("dont_block") === "true";
    // The client polls until it has loaded what reads streams, which takes real time.
    if (!hasStreamed()) return waiting(signal ?? undefined);
    return respond(`${isCheck ? "check" : "poll"} ${position}`, answers.poll);
  });
  const { startSync, connection, generation } = await import("./sync.ts");
  const { onEvent } = await import("./events.ts");
  const { part } = await import("./state.ts");
  const ids: number[] = [];
  onEvent((event) => {
    if (event.type !== "heartbeat") ids.push((event as unknown as { id: number }).id); // all that the server sends have one
  });
  void startSync();
  while (!hasStreamed()) await new Promise((resolve) => setImmediate(resolve));
  /** Lets timers fire as soon as nothing else happens, until the requests and events are these. */
  const until = async (isReached: () => boolean): Promise<void> => {
    for (let timers = 0; timers < 500; timers++) {
      for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
      if (isReached()) return;
      await vi.advanceTimersToNextTimerAsync();
    }
    expect.fail(`not reached: ${JSON.stringify({ asked, ids, connection: connection.value })}`);
  };
  return { asked, ids, until, connection, generation, part };
}

const success =
  (answer: object): Answer =>
  () =>
    Response.json({ result: "success", msg: "", ...answer });
const refusal =
  (status: number, code: string): Answer =>
  () =>
    Response.json({ result: "error", msg: code, code }, { status });
const registered = (queue_id: string, realm_name = "Before") =>
  success({ queue_id, last_event_id: 0, user_id: 5, realm_name, realm_users: [] });

const event = (id: number) => ({ id, type: "realm", op: "update", property: "name", value: `Name ${id}` });
const events = (...ids: number[]) => success({ events: ids.map(event) });
const heartbeat = (id: number) => success({ events: [{ id, type: "heartbeat" }] });

const begun = ": stream\n\n";
const frame = (id: number) => `id: ${id}\ndata: ${JSON.stringify(event(id))}\n\n`;
const keepAlive = (id: number) => `: keep-alive\nid: ${id}\n\n`;

interface Piece {
  text: string;
  after: number;
}
/** A piece that arrives after this time, counted from the beginning. */
const at = (after: number, text: string): Piece => ({ text, after });

/** A stream of these pieces, which then stays open or is cut off. */
function stream(pieces: (string | Piece)[], { cutAfter }: { cutAfter?: number } = {}): Answer {
  return (signal) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const send = (text: string): void => {
          if (!signal?.aborted) controller.enqueue(new TextEncoder().encode(text));
        };
        for (const piece of pieces) {
          if (typeof piece === "string") send(piece);
          else setTimeout(() => send(piece.text), piece.after);
        }
        if (cutAfter !== undefined) setTimeout(() => controller.error(new TypeError("network error")), cutAfter);
        signal?.addEventListener("abort", () => controller.error(signal.reason));
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
  };
}

test("after an event that cannot be applied the state is fetched again, and the client keeps reading", async () => {
  vi.stubGlobal("reportError", vi.fn());
  const client = await start({
    register: [registered("first"), registered("second", "After")],
    stream: [stream([begun, `id: 1\ndata: {"id":1,"type":"message"}\n\n`]), stream([begun, frame(2)])],
  });

  await client.until(() => client.part("realm_name").value === "Name 2");
  expect(client.asked).toEqual(["register", "stream first:0", "delete", "register", "stream second:0"]);
  expect(client.generation.value).toBe(2);
  expect(client.connection.value).toBe("live");
});

test("a stream delivers events without polls", async () => {
  const second = frame(2);
  const pieces = [begun, frame(1) + second.slice(0, 9), second.slice(9), keepAlive(5), frame(6)];
  const client = await start({ register: [registered("q")], stream: [stream(pieces)] });

  await client.until(() => client.ids.length === 3);
  expect(client.ids).toEqual([1, 2, 6]);
  expect(client.asked).toEqual(["register", "stream q:0"]);
});

test("a stream that is cut off is resumed exactly, over a poll that returns some of the same events", async () => {
  const client = await start({
    register: [registered("q")],
    stream: [
      stream([begun, frame(1) + frame(2).slice(0, -1)], { cutAfter: 100_000 }),
      stream([begun, frame(3), frame(4)]),
    ],
    poll: [events(1, 2, 3)],
  });

  await client.until(() => client.ids.length === 4);
  expect(client.ids).toEqual([1, 2, 3, 4]);
  expect(client.asked).toEqual(["register", "stream q:0", "check q:1", "stream q:3"]);
  expect(client.connection.value).toBe("live");
});

test.each<[string, Answer[], number]>([
  ["does not exist", [() => new Response("", { status: 404 })], 0],
  ["is no stream", [() => new Response("<h1>Sorry</h1>")], 0],
  ["is held back", [waiting], 0],
  ["is held back after its head", [stream([])], 0],
  ["is held back after its first line", [stream([begun])], 0],
  ["is refused for no reason", Array.from({ length: 3 }, () => refusal(403, "")), 2],
  ["is cut off too early, again and again", Array.from({ length: 3 }, () => stream([begun], { cutAfter: 3000 })), 2],
])("polls replace a stream that %s, until it is tried again, less and less often", async (_, failing, checks) => {
  let newest = 0;
  const poll = async (): Promise<Response> => {
    await new Promise((resume) => setTimeout(resume, 25_000));
    return events(++newest)(undefined);
  };
  const [again = waiting] = failing;
  const last = (): Response => stream([begun, frame(newest + 1)])(undefined) as Response; // it waits for nothing
  const client = await start({
    register: [registered("q")],
    poll: [...Array.from({ length: checks }, () => heartbeat(0)), ...Array.from({ length: 20 }, () => poll)],
    stream: [...failing, again, last],
  });

  await client.until(() => client.asked.filter((name) => name.startsWith("stream")).length === failing.length + 2);
  await client.until(() => client.ids.length > newest);
  expect(client.ids).toEqual(Array.from(client.ids, (_id, index) => index + 1));
  const names = client.asked.map((name) => name.split(" ")[0]);
  const first = names.splice(0, 1 + failing.length + checks);
  expect(first.filter((name) => name === "stream")).toHaveLength(failing.length);
  expect(first.filter((name) => name === "check")).toHaveLength(checks);
  // For a minute, and then for two.
  const polls = (count: number) => Array.from({ length: count }, () => "poll");
  expect(names).toEqual([...polls(3), "stream", ...polls(5), "stream"]);
});

test("a stream works again: the next time it rests, it does not rest longer", async () => {
  const poll = async (): Promise<Response> => {
    await new Promise((resume) => setTimeout(resume, 25_000));
    return heartbeat(0)(undefined);
  };
  const lasting = stream([begun, at(25_000, keepAlive(0)), at(50_000, keepAlive(0))], { cutAfter: 61_000 });
  const absent = () => new Response("", { status: 404 });
  const client = await start({
    register: [registered("q")],
    poll: [poll, poll, poll, heartbeat(0), poll, poll, poll],
    stream: [absent, lasting, absent, stream([begun, frame(1)])],
  });

  await client.until(() => client.ids.length === 1);
  expect(client.asked.map((name) => name.split(" ")[0])).toEqual([
    "register",
    "stream",
    "poll",
    "poll",
    "poll",
    "stream",
    "check",
    "stream",
    "poll",
    "poll",
    "poll",
    "stream",
  ]);
});

test("a queue that ends is replaced, whichever way it is read", async () => {
  const lost = `event: error\ndata: {"result":"error","code":"BAD_EVENT_QUEUE_ID"}\n\n`;
  const client = await start({
    register: [registered("first"), registered("second"), registered("third")],
    stream: [stream([begun, frame(1), lost]), refusal(400, "BAD_EVENT_QUEUE_ID"), stream([begun, frame(2)])],
    poll: [refusal(400, "BAD_EVENT_QUEUE_ID"), refusal(400, "BAD_EVENT_QUEUE_ID")],
  });

  await client.until(() => client.ids.length === 2);
  expect(client.asked).toEqual([
    "register",
    "stream first:0",
    "check first:1",
    "register",
    "stream second:0",
    "check second:0",
    "register",
    "stream third:0",
  ]);
});

test("after an end that the server announces, the next stream begins at once and where it stopped", async () => {
  const end = `event: end\ndata: {"reason":"shutdown"}\n\n`;
  const client = await start({
    register: [registered("q")],
    stream: [stream([begun, frame(1), keepAlive(4), end]), stream([begun, frame(5)])],
  });

  await client.until(() => client.ids.length === 2);
  expect(client.asked).toEqual(["register", "stream q:0", "stream q:4"]);
});

test("a machine that slept does not wait on its old stream", async () => {
  const client = await start({
    register: [registered("q")],
    stream: [stream([begun, frame(1)]), stream([begun, frame(3)])],
    poll: [events(2)],
  });
  await client.until(() => client.ids.length === 1);

  const asleep = 3_600_000;
  vi.setSystemTime(Date.now() + asleep);
  const wokeAt = Date.now();

  await client.until(() => client.ids.length === 3);
  expect(Date.now() - wokeAt).toBeLessThanOrEqual(5000);
  expect(client.asked).toEqual(["register", "stream q:0", "check q:1", "stream q:2"]);
});

test("a stream says when the server becomes read-only, and when it no longer is", async () => {
  const says = (message: string | null) => `event: maintenance\ndata: ${JSON.stringify({ message })}\n\n`;
  const client = await start({
    register: [registered("q")],
    stream: [stream([begun, frame(1), says("Back at noon"), at(1000, says(null) + frame(2))])],
  });
  const { maintenance } = await import("../api/maintenance.ts");

  await client.until(() => maintenance.value === "Back at noon");
  await client.until(() => client.ids.length === 2);
  expect(maintenance.value).toBeUndefined();
});

test("a stream of an older session is not read any further", async () => {
  const client = await start({
    register: [registered("q")],
    stream: [stream([begun, frame(1), at(1000, frame(2))])],
    poll: [refusal(401, "")],
  });
  const { isSignedOut } = await import("../api/session.ts");
  await client.until(() => client.ids.length === 1);

  document.cookie = "csrftoken=another";

  await client.until(() => isSignedOut.value);
  expect(client.ids).toEqual([1]);
  expect(client.asked).toEqual(["register", "stream q:0", "check q:1"]);
});

test("asking whether the server is there interrupts a stream, which then continues", async () => {
  const client = await start({
    register: [registered("q")],
    stream: [stream([begun, frame(1)]), stream([begun, frame(2)])],
    poll: [heartbeat(1)],
  });
  await client.until(() => client.ids.length === 1);

  const { untilConnected } = await import("./sync.ts");
  await untilConnected();

  await client.until(() => client.ids.length === 2);
  expect(client.asked).toEqual(["register", "stream q:0", "check q:1", "stream q:1"]);
});
