import type { Event } from "@skein/api/events.ts";
import { act, cleanup, render, screen } from "@testing-library/preact";
import { afterEach, beforeEach, expect, test } from "vitest";
import { go } from "../navigation/router.ts";
import { applyEvents } from "../store/events.ts";
import { replaceState } from "../store/state.ts";
import { ViewRows } from "./view-rows.tsx";

const own = { fragment: "narrow/channel/7-garden/topic/logo", name: "The logo", is_pinned: true };

beforeEach(() => {
  replaceState({
    user_id: 5,
    subscriptions: [{ stream_id: 7, name: "design", is_muted: false }] as never, // the fields in use
    user_topics: [],
    navigation_views: [],
    unread_msgs: {
      count: 2,
      pms: [],
      streams: [{ stream_id: 7, topic: "logo", unread_message_ids: [11, 12] }],
      huddles: [],
      mentions: [],
      old_unreads_missing: false,
    },
  });
  go("#inbox");
});
afterEach(cleanup);

const names = () => screen.getAllByRole("link").map(({ textContent }) => textContent.replace(/\d.*/, ""));
const current = () => screen.getAllByRole("link", { current: "page" }).map(({ textContent }) => textContent);
const follow = (...events: Event[]): Promise<void> => act(() => void applyEvents(events));
const move = (address: string): Promise<void> => act(() => go(address));
const pin = (fragment: string, is_pinned: boolean): Event => ({
  type: "navigation_view",
  op: "add",
  navigation_view: { fragment, name: null, is_pinned },
});

test("the usual views are shown unless they are hidden; others if they are pinned", async () => {
  render(<ViewRows />);
  const usual = ["Inbox", "Mentions", "Starred", "Drafts & scheduled", "All messages"];
  expect(names()).toEqual(usual);

  await follow(pin("feed", false), pin("recent", true), pin("reminders", true));
  expect(names()).toEqual([...usual.slice(0, 4), "Recent"]);
  await follow({ type: "navigation_view", op: "update", fragment: "feed", data: { is_pinned: true } });
  expect(names()).toEqual([...usual, "Recent"]);
  await follow({ type: "navigation_view", op: "remove", fragment: "recent" });
  expect(names()).toEqual(usual);
});

test("a view of one's own has its name and what is unread there, also after the channel was renamed", async () => {
  render(<ViewRows />);
  await follow({ type: "navigation_view", op: "add", navigation_view: own });
  expect(screen.getByRole("link", { name: /The logo/ }).textContent).toBe("The logo2 unread2");
  await follow({ type: "navigation_view", op: "update", fragment: own.fragment, data: { name: "Our logo" } });
  expect(names().at(-1)).toBe("Our logo");

  await move("#narrow/channel/7-design/topic/logo/near/11");
  expect(current()).toEqual(["Our logo2 unread2"]);
});

test("one view is current: the one at this address, or else the one that the place belongs to", async () => {
  render(<ViewRows />);
  expect(current()).toEqual(["Inbox2 unread2"]);
  await move("#recent");
  expect(current()).toEqual(["Inbox2 unread2"]);
  await follow(pin("recent", true));
  expect(current()).toEqual(["Recent"]);
  await move("#scheduled");
  expect(current()).toEqual(["Drafts & scheduled"]);
  await move("#narrow/is/starred");
  expect(current()).toEqual(["Starred"]);
});
