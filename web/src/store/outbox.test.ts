import { expect, test, vi } from "vitest";
import { NoResponse, Refusal } from "@skein/api/failures.ts";
import { topicConversation } from "./conversations.ts";
import { Outbox, type Outgoing, type OutboxDependencies } from "./outbox.ts";

const logo = topicConversation(7, "logo");
const certs = topicConversation(7, "certs");

/** A server that responds when the test lets it, and a browser's store. */
class World implements OutboxDependencies {
  /** What reached the server, in order. */
  readonly arrived: string[] = [];
  readonly kept = new Map<string, Outgoing>();
  /** One outcome per upcoming request; without one it succeeds. */
  answers: (() => Promise<number>)[] = [];
  found: number | undefined;
  looked = 0;
  #id = 100;

  send = async ({ content }: Outgoing): Promise<number> => {
    const answer = this.answers.shift();
    if (answer) return answer();
    this.arrived.push(content);
    return this.#id++;
  };
  find = async () => {
    this.looked++;
    return this.found;
  };
  untilConnected = async (): Promise<void> => undefined;
  readOnlyFor = 0;
  isReadOnly = () => this.readOnlyFor-- > 0;
  pause = async (): Promise<void> => undefined;
  keep = async (localId: string, outgoing: Outgoing | undefined) => {
    if (outgoing) this.kept.set(localId, outgoing);
    else this.kept.delete(localId);
  };
  newestId = () => 99;
}

const refused = (message: string) => async (): Promise<number> => {
  throw new Refusal(message, { code: "BAD_REQUEST", status: 400, data: {} });
};
const unanswered = async (): Promise<number> => {
  throw new NoResponse();
};

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

test("the row appears at once and keeps its key until the message itself has arrived", async () => {
  const world = new World();
  const outbox = new Outbox(world);

  const { localId } = outbox.add(logo, "hello");
  expect(outbox.entries.value).toMatchObject([{ localId, content: "hello", state: "sending" }]);
  await settled();
  expect(outbox.entries.value).toMatchObject([{ localId, state: "sent", messageId: 100 }]);
  outbox.arrived(100, localId);

  expect(outbox.entries.value).toEqual([]);
  expect(world.kept.size).toBe(0);
});

test("a message is stored before it is sent", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  let keptAtSending: number | undefined;
  world.answers = [
    async () => {
      keptAtSending = world.kept.size;
      return 1;
    },
  ];

  outbox.add(logo, "hello");
  await settled();

  expect(keptAtSending).toBe(1);
});

test("messages waiting behind another are stored too", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  world.answers = [() => new Promise(() => undefined)];

  outbox.add(logo, "first");
  outbox.add(logo, "second");
  await settled();

  expect([...world.kept.values()].map(({ content }) => content)).toEqual(["first", "second"]);
});

test("messages of a conversation are sent in order, one at a time; other conversations do not wait", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  const held = Promise.withResolvers<number>();
  world.answers = [() => held.promise];

  outbox.add(logo, "first");
  outbox.add(logo, "second");
  await settled();
  outbox.add(certs, "elsewhere");
  await settled();
  expect(world.arrived).toEqual(["elsewhere"]);
  held.resolve(1);
  await settled();

  expect(world.arrived).toEqual(["elsewhere", "second"]);
});

test("a refused message keeps its text with the server's error; the next message is sent", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  world.answers = [refused("You may not write here")];

  const { localId } = outbox.add(logo, "hello");
  outbox.add(logo, "again");
  await settled();

  expect(outbox.entries.value[0]).toMatchObject({ localId, state: "failed", reason: "You may not write here" });
  expect(world.kept.get(localId)).toMatchObject({ content: "hello", state: "failed" });
  expect(world.arrived).toEqual(["again"]);
  outbox.retry(localId);
  await settled();
  expect(world.arrived).toEqual(["again", "hello"]);
});

test("without a response, the message is looked up before it is sent again", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  world.answers = [unanswered];

  outbox.add(logo, "hello");
  await settled();

  expect(world.looked).toBe(1);
  expect(world.arrived).toEqual(["hello"]);
});

test("a message that arrived without a response is not sent twice", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  world.answers = [unanswered];
  world.found = 42;

  outbox.add(logo, "hello");
  await settled();

  expect(world.arrived).toEqual([]);
  expect(outbox.entries.value).toMatchObject([{ state: "sent", messageId: 42 }]);
});

test("a message whose event arrives while its response is pending is not sent again", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  const held = Promise.withResolvers<void>();
  world.untilConnected = () => held.promise;
  world.answers = [unanswered];

  const { localId } = outbox.add(logo, "hello");
  await settled();
  outbox.arrived(7, localId);
  held.resolve();
  await settled();

  expect(world.arrived).toEqual([]);
  expect(outbox.entries.value).toEqual([]);
});

test("after repeated server errors the message fails, and the user can act on it", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  world.answers = Array.from({ length: 3 }, () => async () => {
    throw new NoResponse(500);
  });

  outbox.add(logo, "hello");
  await settled();

  expect(outbox.entries.value).toMatchObject([{ state: "failed" }]);
  expect(outbox.entries.value[0]?.reason).toBeUndefined();
});

test("a read-only server's refusals are not errors: the message waits and is sent", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  world.readOnlyFor = 5;
  world.answers = Array.from({ length: world.readOnlyFor }, () => async () => {
    throw new NoResponse(503);
  });

  outbox.add(logo, "hello");
  await settled();

  expect(world.arrived).toEqual(["hello"]);
  expect(outbox.entries.value).toMatchObject([{ state: "sent" }]);
});

test("messages left by an earlier page are looked up first, in the order they were written", async () => {
  const world = new World();
  const left = (localId: string, content: string, writtenAt: number): Outgoing => ({
    localId,
    conversation: logo,
    content,
    writtenAt,
    afterId: 1,
    state: "sending",
    isUncertain: false,
  });
  const outbox = new Outbox(world);

  outbox.resume([left("b", "second", 2), left("a", "first", 1)]);
  expect(outbox.entries.value.map(({ content }) => content)).toEqual(["first", "second"]);
  await settled();

  expect(world.looked).toBe(2);
  expect(world.arrived).toEqual(["first", "second"]);
});

test.each([
  ["refuses", () => Promise.reject(new DOMException("full", "QuotaExceededError"))],
  ["never answers", () => new Promise<void>(() => undefined)],
])("a message is sent though the browser's store %s", async (_what, keep) => {
  vi.useFakeTimers();
  const world = new World();
  world.keep = keep;
  const outbox = new Outbox(world);

  outbox.add(logo, "one");
  outbox.add(logo, "two");
  await vi.advanceTimersByTimeAsync(5000);

  expect(world.arrived).toEqual(["one", "two"]);
  expect(outbox.entries.value.map(({ state }) => state)).toEqual(["sent", "sent"]);
  vi.useRealTimers();
});

test("an unexpected error fails that message, and later ones are still sent", async () => {
  vi.stubGlobal("reportError", vi.fn());
  const world = new World();
  const outbox = new Outbox(world);
  world.answers = [() => Promise.reject(new TypeError("a fault of ours"))];

  outbox.add(logo, "one");
  outbox.add(logo, "two");
  await settled();

  expect(outbox.entries.value.map(({ state }) => state)).toEqual(["failed", "sent"]);
  vi.unstubAllGlobals();
});
