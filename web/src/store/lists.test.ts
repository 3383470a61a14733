import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { invalidateLists, fetchPage, hold, openList } from "./lists.ts";
import { findMessage, type Message } from "./messages.ts";
import { topicConversation, narrowOf } from "./conversations.ts";
import { replaceState } from "./state.ts";

/** The ids of the server's messages, all in one topic. */
let serverIds: number[] = [];
let waiting: (() => void) | undefined;

beforeEach(() => {
  replaceState({ user_id: 5 });
  serverIds = [1, 2, 3];
  waiting = undefined;
  vi.stubGlobal("fetch", async () => {
    const messages = serverIds.map((id) => ({
      id,
      sender_id: 7,
      stream_id: 1,
      subject: "logo",
      content: `<p>${id}</p>`,
    }));
    const answer = Response.json({
      result: "success",
      msg: "",
      messages: messages as Message[], // the fields in use
      found_newest: true,
      found_oldest: true,
      found_anchor: true,
      anchor: 1,
    });
    if (waiting) await new Promise<void>((resume) => (waiting = resume));
    return answer;
  });
});
afterEach(() => vi.unstubAllGlobals());

const newest = { anchor: "newest", before: 100, after: 0 } as const;
const listOf = (topic: string) => openList(narrowOf(topicConversation(1, topic), 5));
const idsOf = (list: ReturnType<typeof listOf>): number[] => list.runs.value.flatMap(({ ids }) => [...ids]);

test("after the queue is replaced, messages deleted in the meantime disappear with the next page, not earlier", async () => {
  const list = listOf("on screen");
  const release = hold(list);
  await fetchPage(list, newest);
  serverIds = [1, 3, 4];

  invalidateLists();
  expect(idsOf(list)).toEqual([1, 2, 3]);
  await fetchPage(list, newest);

  expect(idsOf(list)).toEqual([1, 3, 4]);
  expect(findMessage(2)).toBeUndefined();
  expect(list.isStale).toBe(false);
  release();
});

test("unused lists are evicted, and a reader that still holds one sees it empty", async () => {
  const list = listOf("elsewhere");
  await fetchPage(list, newest);

  invalidateLists();

  expect(idsOf(list)).toEqual([]);
  expect(listOf("elsewhere")).not.toBe(list);
  expect(findMessage(1)).toBeUndefined();
});

test("a page in flight while the queue is replaced does not bring back deleted messages", async () => {
  const list = listOf("late");
  const release = hold(list);
  await fetchPage(list, newest);
  waiting = () => undefined;
  const late = fetchPage(list, newest);
  serverIds = [1, 3];
  invalidateLists();
  const answerLate = waiting;
  waiting = undefined;
  await fetchPage(list, newest);

  answerLate();
  await late;

  expect(idsOf(list)).toEqual([1, 3]);
  release();
});
