import type { Event } from "@skein/api/events.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { applyEvents } from "./events.ts";
import { invalidateLists, fetchMessages, fetchPage, hold, openList, shownLists } from "./lists.ts";
import { findMessage, messageCount, release as releaseMessages, retain, type Message } from "./messages.ts";
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
      flags: [],
    }));
    const answer = Response.json({
      result: "success",
      msg: "",
      messages, // the fields in use
      found_newest: true,
      found_oldest: true,
      found_anchor: true,
      anchor: 1,
    });
    if (waiting) await new Promise<void>((resume) => (waiting = resume));
    return answer;
  });
});
afterEach(() => {
  invalidateLists();
  vi.unstubAllGlobals();
});

const arrival = (id: number, topic = "elsewhere"): Event => ({
  type: "message",
  flags: [],
  message: { id, sender_id: 7, stream_id: 1, subject: topic, content: `<p>${id}</p>`, type: "stream" } as Message, // the fields in use
});

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

test("messages that arrive outside of all lists are not kept", () => {
  for (let id = 1000; id < 21_000; id++) applyEvents([arrival(id)]);

  expect(messageCount()).toBeLessThanOrEqual(200);
  expect(findMessage(20_999)).toBeDefined();
});

test("a list that nobody shows does not grow without end, one on screen does", async () => {
  const [left, watched] = [openList([]), listOf("watched")];
  const release = hold(watched);
  await Promise.all([fetchPage(left, newest), fetchPage(watched, newest)]);

  for (let id = 1000; id < 2000; id++) applyEvents([arrival(id, "watched")]);

  expect(idsOf(left)).toEqual([]);
  expect(idsOf(watched)).toHaveLength(1003);
  expect(messageCount()).toBe(1003);
  release();
});

test("a list keeps every message of a long page, those known before as well", async () => {
  serverIds = Array.from({ length: 500 }, (_, index) => index + 1);
  applyEvents([arrival(499), arrival(500)]);
  const list = listOf("logo");
  const release = hold(list);

  await fetchPage(list, newest);

  expect(idsOf(list).filter((id) => !findMessage(id))).toEqual([]);
  expect(idsOf(list)).toHaveLength(500);
  release();
});

test("a list shown twice stays when one of its views is gone, and its messages with it", async () => {
  const list = listOf("twice");
  const releases = [hold(list), hold(list)];
  await fetchPage(list, newest);

  releases[0]?.();
  invalidateLists();
  expect(shownLists()).toContain(list);
  expect(idsOf(list)).toEqual([1, 2, 3]);

  releases[1]?.();
  invalidateLists();
  expect(shownLists()).not.toContain(list);
  expect(messageCount()).toBe(0);
});

test("a message that a row shows is kept, whether or not a list contains it, until the row is gone", async () => {
  retain([2]);
  await fetchMessages([2]);
  invalidateLists();
  expect(findMessage(2)).toBeDefined();

  const list = listOf("shared");
  const release = hold(list);
  await fetchPage(list, newest);
  releaseMessages([2]);
  expect(findMessage(2)).toBeDefined();
  release();
  invalidateLists();
  expect(findMessage(2)).toBeUndefined();
});

test("a message deleted without an event disappears when its range is fetched again", async () => {
  const list = listOf("unheard");
  const release = hold(list);
  await fetchPage(list, newest);
  serverIds = [1, 3];

  await fetchPage(list, newest);

  expect(idsOf(list)).toEqual([1, 3]);
  expect(findMessage(2)).toBeUndefined();
  release();
});

test("what arrives, changes or is deleted while a page is in flight is not undone by the page", async () => {
  const list = listOf("logo");
  const release = hold(list);
  await fetchPage(list, newest);
  waiting = () => undefined;
  const late = fetchPage(list, newest);
  await vi.waitFor(() => expect(waiting?.length).toBe(1));
  applyEvents([
    arrival(4, "logo"),
    arrival(5, "logo"),
    { type: "delete_message", message_type: "stream", stream_id: 1, topic: "logo", message_ids: [2, 5] },
    { type: "update_message_flags", op: "add", operation: "add", flag: "starred", messages: [3], all: false },
  ]);
  waiting?.();
  await late;

  expect(idsOf(list)).toEqual([1, 3, 4]);
  expect(findMessage(3)?.value.flags).toContain("starred");
  release();
});
