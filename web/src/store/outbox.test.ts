import { expect, test } from "vitest";
import { NoAnswer, Refusal } from "../api/failures.ts";
import { topicConversation } from "./conversations.ts";
import { Outbox, type Outgoing, type OutboxNeeds } from "./outbox.ts";

const logo = topicConversation(7, "logo");
const certs = topicConversation(7, "certs");

/** A server that answers when it is told to, and a browser's store. */
class World implements OutboxNeeds {
  /** What reached the server, in order. */
  readonly arrived: string[] = [];
  readonly kept = new Map<string, Outgoing>();
  /** One for each request to come; without one it succeeds. */
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
  untilHeard = async (): Promise<void> => undefined;
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
  throw new NoAnswer();
};

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

test("the row is there at once, and stays under its name until the message itself has come", async () => {
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

test("it is written down before it is sent", async () => {
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

test("those that wait behind another are written down, too", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  world.answers = [() => new Promise(() => undefined)];

  outbox.add(logo, "first");
  outbox.add(logo, "second");
  await settled();

  expect([...world.kept.values()].map(({ content }) => content)).toEqual(["first", "second"]);
});

test("messages of a conversation go out in order, one at a time; other conversations do not wait", async () => {
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

test("a refusal keeps the text with the server's words; the next message goes on", async () => {
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

test("without an answer it is looked for before it is sent again", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  world.answers = [unanswered];

  outbox.add(logo, "hello");
  await settled();

  expect(world.looked).toBe(1);
  expect(world.arrived).toEqual(["hello"]);
});

test("one that had arrived without an answer is not sent twice", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  world.answers = [unanswered];
  world.found = 42;

  outbox.add(logo, "hello");
  await settled();

  expect(world.arrived).toEqual([]);
  expect(outbox.entries.value).toMatchObject([{ state: "sent", messageId: 42 }]);
});

test("one whose event comes while the answer is awaited is not sent again", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  const held = Promise.withResolvers<void>();
  world.untilHeard = () => held.promise;
  world.answers = [unanswered];

  const { localId } = outbox.add(logo, "hello");
  await settled();
  outbox.arrived(7, localId);
  held.resolve();
  await settled();

  expect(world.arrived).toEqual([]);
  expect(outbox.entries.value).toEqual([]);
});

test("a server that fails again and again ends in a failure one can act on", async () => {
  const world = new World();
  const outbox = new Outbox(world);
  world.answers = Array.from({ length: 3 }, () => async () => {
    throw new NoAnswer(500);
  });

  outbox.add(logo, "hello");
  await settled();

  expect(outbox.entries.value).toMatchObject([{ state: "failed" }]);
  expect(outbox.entries.value[0]?.reason).toBeUndefined();
});

test("what an earlier page left behind is looked for first, in the order it was written", async () => {
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
