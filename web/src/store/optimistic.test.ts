import { effect } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addMessages, findMessage, type Message } from "./messages.ts";
import { change, takeEvents } from "./optimistic.ts";

const about = { type: "update_message_flags", flag: "starred", all: false } as const;
let starred: Event & typeof about;
let unstarred: Event & typeof about;

/** What stood on screen, one after the other. */
let shown: boolean[];
let stopLooking: () => void;
let id = 0;

beforeEach(() => {
  vi.useFakeTimers();
  const messages = [++id];
  starred = { ...about, messages, op: "add", operation: "add" };
  unstarred = { ...about, messages, op: "remove", operation: "remove" };
  addMessages([{ id, flags: ["read"] } as Partial<Message> as Message]); // all that is looked at
  shown = [];
  stopLooking = effect(() => {
    const isStarred = findMessage(id)?.value.flags.includes("starred") ?? false;
    if (isStarred !== shown.at(-1)) shown.push(isStarred);
  });
});

afterEach(() => {
  stopLooking();
  vi.useRealTimers();
});

const star = (request = async () => {}) => change({ event: starred, undo: unstarred, request });
const unstar = (request = async () => {}) => change({ event: unstarred, undo: starred, request });

test("of two changes of one thing the second is asked for once the first is answered, refused or not", async () => {
  const first = Promise.withResolvers<void>();
  const asked: string[] = [];

  star(() => (asked.push("add"), first.promise));
  unstar(async () => void asked.push("remove"));

  await vi.waitFor(() => expect(asked).toEqual(["add"]));
  first.reject(new Error("no"));
  await vi.waitFor(() => expect(asked).toEqual(["add", "remove"]));
  expect(shown.at(-1)).toBe(false);
});

test("what was done last stays on screen while the server tells of what was before", () => {
  star();
  unstar();
  takeEvents([starred]);
  expect(shown).toEqual([false, true, false]);
  takeEvents([unstarred]);
  expect(shown).toEqual([false, true, false]);
});

test("what the server tells after that shows: it is somebody's later change", () => {
  star();
  takeEvents([starred]);
  takeEvents([unstarred]);
  expect(shown).toEqual([false, true, false]);
});

test("a change the server never tells of, because it was so already, gives way after a while", async () => {
  star();
  await vi.advanceTimersByTimeAsync(4000);
  takeEvents([unstarred]);
  expect(shown.at(-1)).toBe(true);
  await vi.advanceTimersByTimeAsync(2000);
  takeEvents([unstarred]);
  expect(shown.at(-1)).toBe(false);
});

test("a refusal puts back what was before, under what was done since", async () => {
  star(async () => Promise.reject(new Error("no")));
  await vi.advanceTimersByTimeAsync(0);
  expect(shown).toEqual([false, true, false]);

  star();
  takeEvents([starred]);
  unstar(async () => Promise.reject(new Error("no")));
  star();
  await vi.advanceTimersByTimeAsync(0);
  expect(shown.at(-1)).toBe(true);
});
