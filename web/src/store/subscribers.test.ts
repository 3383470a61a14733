import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Event } from "@skein/api/events.ts";
import { applyEvents } from "./events.ts";
import { replaceState } from "./state.ts";
import { subscribersOf } from "./subscribers.ts";

/** Responses to requests for subscribers, in order. */
let respond: ((ids: number[]) => void)[] = [];

beforeEach(() => {
  replaceState({ user_id: 5 });
  respond = [];
  vi.stubGlobal("fetch", () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    respond.push((subscribers) => resolve(Response.json({ result: "success", msg: "", subscribers })));
    return promise;
  });
});
afterEach(() => vi.unstubAllGlobals());

const peers = (op: "peer_add" | "peer_remove", channelId: number, ...userIds: number[]): Event => ({
  type: "subscription",
  op,
  stream_ids: [channelId],
  user_ids: userIds,
});

const idsIn = (channelId: number): number[] | undefined => {
  const ids = subscribersOf(channelId).ids.value;
  return ids && [...ids].toSorted((a, b) => a - b);
};

test("changes that arrive before an older response are not lost", async () => {
  expect(idsIn(1)).toBeUndefined();
  await vi.waitFor(() => expect(respond).toHaveLength(1));

  applyEvents([peers("peer_add", 1, 9), peers("peer_remove", 1, 6)]);
  respond[0]?.([5, 6, 7]);

  await vi.waitFor(() => expect(idsIn(1)).toEqual([5, 7, 9]));
  applyEvents([peers("peer_remove", 1, 9)]);
  expect(idsIn(1)).toEqual([5, 7]);
});

test("the reader's own leaving and joining count, although they are no events about peers", async () => {
  idsIn(2);
  await vi.waitFor(() => expect(respond).toHaveLength(1));
  respond[0]?.([5, 6]);
  await vi.waitFor(() => expect(idsIn(2)).toEqual([5, 6]));

  applyEvents([{ type: "subscription", op: "remove", subscriptions: [{ stream_id: 2, name: "x" }] }]);
  expect(idsIn(2)).toEqual([6]);
  applyEvents([{ type: "subscription", op: "add", subscriptions: [{ stream_id: 2 } as never] }]); // the field in use
  expect(idsIn(2)).toEqual([5, 6]);
});

test("a channel that becomes accessible again is fetched again", async () => {
  idsIn(3);
  await vi.waitFor(() => expect(respond).toHaveLength(1));
  respond[0]?.([5, 6]);
  await vi.waitFor(() => expect(idsIn(3)).toEqual([5, 6]));

  applyEvents([{ type: "stream", op: "create", streams: [{ stream_id: 3 } as never] }]); // the field in use
  await vi.waitFor(() => expect(respond).toHaveLength(2));
  respond[1]?.([6]);

  await vi.waitFor(() => expect(idsIn(3)).toEqual([6]));
});
