import { effect } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addMessages, findMessage, type Message } from "./messages.ts";
import { change, receiveEvents } from "./optimistic.ts";

const about = { type: "update_message_flags", flag: "starred", all: false } as const;
let starred: Event & typeof about;
let unstarred: Event & typeof about;

/** What was on screen, in order. */
let shown: boolean[];
let stopLooking: () => void;
let id = 0;

beforeEach(() => {
  vi.useFakeTimers();
  const messages = [++id];
  starred = { ...about, messages, op: "add", operation: "add" };
  unstarred = { ...about, messages, op: "remove", operation: "remove" };
  addMessages([{ id, flags: ["read"] } as Partial<Message> as Message]); // the fields in use
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

test("of two changes of one thing, the second is requested once the first has a response, refused or not", async () => {
  const first = Promise.withResolvers<void>();
  const asked: string[] = [];

  star(() => (asked.push("add"), first.promise));
  unstar(async () => void asked.push("remove"));

  await vi.waitFor(() => expect(asked).toEqual(["add"]));
  first.reject(new Error("no"));
  await vi.waitFor(() => expect(asked).toEqual(["add", "remove"]));
  expect(shown.at(-1)).toBe(false);
});

test("the last change stays on screen while events of earlier changes arrive", () => {
  star();
  unstar();
  receiveEvents([starred]);
  expect(shown).toEqual([false, true, false]);
  receiveEvents([unstarred]);
  expect(shown).toEqual([false, true, false]);
});

test("an event after the change's own is shown: it is a later change", () => {
  star();
  receiveEvents([starred]);
  receiveEvents([unstarred]);
  expect(shown).toEqual([false, true, false]);
});

test("a change that never gets an event, because it changed nothing, stops being pending after a while", async () => {
  star();
  await vi.advanceTimersByTimeAsync(4000);
  receiveEvents([unstarred]);
  expect(shown.at(-1)).toBe(true);
  await vi.advanceTimersByTimeAsync(2000);
  receiveEvents([unstarred]);
  expect(shown.at(-1)).toBe(false);
});

test("a refusal restores the previous state, but keeps later changes", async () => {
  star(async () => Promise.reject(new Error("no")));
  await vi.advanceTimersByTimeAsync(0);
  expect(shown).toEqual([false, true, false]);

  star();
  receiveEvents([starred]);
  unstar(async () => Promise.reject(new Error("no")));
  star();
  await vi.advanceTimersByTimeAsync(0);
  expect(shown.at(-1)).toBe(true);
});
