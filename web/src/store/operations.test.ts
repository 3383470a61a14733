import { effect } from "@preact/signals";
import { applyEvent } from "@skein/api/apply-event.ts";
import type { Event } from "@skein/api/events.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import { Refusal } from "@skein/api/failures.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { applyEvents, applyRegistration } from "./events.ts";
import { openList } from "./lists.ts";
import { addMessages, findMessage, type Message } from "./messages.ts";
import { perform } from "./operations.ts";
import { eventTimeout, partsUsed, pending, type PendingEvent } from "./pending.ts";
import { part, replaceState } from "./state.ts";
import { toasts } from "./toasts.ts";

let starred: PendingEvent;
let unstarred: PendingEvent;

/** What was on screen, in order. */
let shown: boolean[];
let stopLooking: () => void;
let id = 0;

beforeEach(() => {
  vi.useFakeTimers();
  replaceState({ user_id: 5, starred_messages: [], presences: {} });
  const about = { type: "update_message_flags" as const, flag: "starred" as const, all: false, messages: [++id] };
  starred = { ...about, op: "add", operation: "add" };
  unstarred = { ...about, op: "remove", operation: "remove" };
  addMessages([{ id, flags: ["read"] } as Partial<Message> as Message]); // the fields in use
  shown = [];
  stopLooking = effect(() => {
    const isStarred = findMessage(id)?.value.flags.includes("starred") ?? false;
    if (isStarred !== shown.at(-1)) shown.push(isStarred);
  });
});

afterEach(async () => {
  stopLooking();
  await vi.advanceTimersByTimeAsync(2 * eventTimeout);
  applyEvents([], performance.now());
  pending.value = [];
  toasts.value = [];
  vi.useRealTimers();
});

const key = "star";
const refusal = () => Promise.reject(new Refusal("No stars here", { code: "BAD_REQUEST", status: 400, data: {} }));
const star = (request: () => Promise<unknown> = async () => {}) => perform({ key, event: starred, request });
const unstar = (request: () => Promise<unknown> = async () => {}) => perform({ key, event: unstarred, request });
const starredIds = () => part("starred_messages").value ?? [];

test("of two changes of one thing, the second is requested once the first has a response, refused or not", async () => {
  const first = Promise.withResolvers<void>();
  const asked: string[] = [];

  star(() => (asked.push("add"), first.promise));
  unstar(async () => void asked.push("remove"));

  expect(asked).toEqual(["add"]);
  first.reject(new Error("no"));
  await vi.waitFor(() => expect(asked).toEqual(["add", "remove"]));
  expect(shown.at(-1)).toBe(false);
});

test("the last change stays on screen while events of earlier changes arrive", async () => {
  star();
  unstar();
  applyEvents([starred]);
  expect(shown).toEqual([false, true, false]);
  await vi.advanceTimersByTimeAsync(0);
  applyEvents([unstarred]);
  expect(shown).toEqual([false, true, false]);
  expect(pending.value).toEqual([]);
});

test("an event after the change's own is shown: it is a later change", () => {
  star();
  applyEvents([starred]);
  applyEvents([unstarred]);
  expect(shown).toEqual([false, true, false]);
});

test("an accepted change stays until its event, or until a response that the queue gave well after it", async () => {
  star();
  await vi.advanceTimersByTimeAsync(eventTimeout - 1000);
  applyEvents([unstarred], performance.now());
  expect(shown.at(-1)).toBe(true);
  await vi.advanceTimersByTimeAsync(2000);
  expect(shown.at(-1)).toBe(true);

  applyEvents([], performance.now());
  expect(shown.at(-1)).toBe(false);
});

test("a refused change is taken away with the server's reason, and later changes stay", async () => {
  star(refusal);
  await vi.advanceTimersByTimeAsync(0);
  expect(shown).toEqual([false, true, false]);
  expect(toasts.value.map(({ text }) => text)).toEqual(["No stars here"]);

  star();
  applyEvents([starred]);
  unstar(refusal);
  star();
  await vi.advanceTimersByTimeAsync(0);
  expect(shown.at(-1)).toBe(true);
});

test("two refused toggles leave what the server has", async () => {
  star(refusal);
  unstar(refusal);
  star(refusal);
  await vi.advanceTimersByTimeAsync(0);

  expect(shown.at(-1)).toBe(false);
  expect(starredIds()).toEqual([]);
});

test("a replaced queue keeps what is in flight, and ends what was accepted before", async () => {
  const request = Promise.withResolvers<void>();
  star(() => request.promise);
  applyRegistration({ user_id: 5, starred_messages: [] }, performance.now());
  expect(starredIds()).toEqual([id]);

  request.resolve();
  await vi.advanceTimersByTimeAsync(1);
  applyRegistration({ user_id: 5, starred_messages: [id] }, performance.now());
  expect(pending.value).toEqual([]);
  expect(starredIds()).toEqual([id]);
});

test("an event that names some of the messages of a change confirms those", () => {
  const rest = ++id;
  const both = { ...starred, messages: [id - 1, rest] } as PendingEvent; // of the same kind
  const forever = new Promise(() => {});
  perform({ key: "both", event: both, request: () => forever });

  applyEvents([starred]);
  expect(pending.value.map(({ event }) => event)).toMatchObject([{ messages: [rest] }]);
  expect(starredIds()).toEqual([id - 1, rest]);
  applyEvents([{ ...starred, messages: [rest] } as Event]); // as above
});

test("a change of one part notifies no reader of another, and an event elsewhere repeats nothing", () => {
  const notified = { stars: 0, presences: 0 };
  const stops = [
    effect(() => void (part("starred_messages").value && notified.stars++)),
    effect(() => void (part("presences").value && notified.presences++)),
  ];
  star();
  expect(notified).toEqual({ stars: 2, presences: 1 });

  const now = { website: { timestamp: 1, status: "active", client: "website", pushable: false } };
  applyEvents([
    { type: "presence", user_id: 7, email: "a@b", server_timestamp: 1, presence: now } as unknown as Event, // the old format
  ]);
  expect(notified.stars).toBe(2);
  for (const stop of stops) stop();
  applyEvents([starred]);
});

test("a pending star is in the list of starred messages, one taken away is not, and a refusal restores the list", async () => {
  const list = openList([{ operator: "is", operand: "starred" }]);
  const known = [{ ids: [id - 1], hasOldest: false, hasNewest: true }];
  list.known = known;
  list.runs.value = known;
  const ids = () => list.runs.value.flatMap((run) => run.ids);

  star(refusal);
  expect(ids()).toEqual([id - 1, id]);
  await vi.advanceTimersByTimeAsync(0);
  expect(list.runs.value).toBe(known);
});

test("an expected event depends on no parts of the state but those listed for it", () => {
  const state: FollowedState = {
    user_id: 5,
    max_message_id: 9,
    subscriptions: [],
    starred_messages: [1],
    unread_msgs: {
      count: 1,
      pms: [],
      streams: [{ stream_id: 1, topic: "t", unread_message_ids: [4] }],
      huddles: [],
      mentions: [],
      old_unreads_missing: false,
    },
    user_topics: [],
    muted_users: [],
    scheduled_messages: [],
    user_settings: { enter_sends: false } as NonNullable<FollowedState["user_settings"]>, // the field in use
    onboarding_steps: [],
  };
  const read = { ...starred, flag: "read", messages: [4] } as PendingEvent; // of the same kind
  const topic = { type: "user_topic", stream_id: 1, topic_name: "t", last_updated: 0, visibility_policy: 1 } as const;
  const setting = { type: "user_settings", op: "update", property: "enter_sends", value: true } as const;
  for (const event of [starred, unstarred, read, topic, setting]) {
    const after = applyEvent(state, event);
    const used: readonly string[] = partsUsed[event.type] ?? [];
    const pick = (from: FollowedState) =>
      Object.fromEntries(Object.entries(from).filter(([name]) => name === "user_id" || used.includes(name)));

    expect(applyEvent(pick(state) as FollowedState, event)).toEqual(pick(after)); // with the parts in use
    expect(after).toEqual({ ...state, ...pick(after) });
  }
});
