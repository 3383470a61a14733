import type { ChannelFolder } from "@skein/api/channel-folders.ts";
import type { Event } from "@skein/api/events.ts";
import type { SubscriptionObject } from "@skein/api/subscriptions.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/preact";
import { afterEach, beforeEach, expect, test } from "vitest";
import { applyEvents } from "../store/events.ts";
import { replaceState } from "../store/state.ts";
import { inboxOrder } from "../store/unread.ts";
import { ChannelSection } from "./channel-section.tsx";
import { filter } from "./filter.ts";

const folder = (id: number, name: string, order: number): ChannelFolder => ({
  id,
  name,
  description: "",
  rendered_description: "",
  date_created: 0,
  creator_id: null,
  is_archived: false,
  order,
});

const channel = (stream_id: number, name: string, more: Partial<SubscriptionObject> = {}): SubscriptionObject =>
  ({ stream_id, name, folder_id: null, is_muted: false, pin_to_top: false, ...more }) as SubscriptionObject; // the fields in use

const unread = (stream_id: number, ...unread_message_ids: number[]) => ({ stream_id, topic: "a", unread_message_ids });

beforeEach(() => {
  filter.value = "";
  replaceState({
    user_id: 5,
    channel_folders: [folder(2, "Teams", 0), folder(1, "Projects", 1)],
    subscriptions: [
      channel(1, "aside"),
      channel(2, "barn", { folder_id: 1 }),
      channel(3, "cider", { folder_id: 2 }),
      channel(4, "dill", { folder_id: 1, pin_to_top: true }),
      channel(5, "elder", { folder_id: 1, is_muted: true }),
    ],
    unread_msgs: {
      count: 4,
      pms: [],
      streams: [unread(1, 11), unread(2, 12, 13), unread(3, 14), unread(5, 15)],
      huddles: [],
      mentions: [],
      old_unreads_missing: false,
    },
    user_topics: [],
    user_settings: {} as FollowedState["user_settings"], // as on an older server
  });
});
afterEach(cleanup);

const sections = () =>
  screen.getAllByRole("heading", { level: 2 }).map((heading) => {
    const rows = heading.closest("section")?.querySelectorAll("ul:not([hidden]) a") ?? [];
    const names = [...rows].map((row) => (row.textContent ?? "").replace(/\d.*|All channels/, "")).filter(Boolean);
    return [heading.textContent, ...names].join(" ");
  });
const toggle = (name: string) => screen.getByRole("button", { name: new RegExp(`^${name}`) });
const follow = (...events: Event[]): Promise<void> => act(() => void applyEvents(events));
const findBy = (text: string): Promise<void> =>
  act(() => {
    filter.value = text;
  });
const updateChannel = (property: string, value: number | null): Event => ({
  type: "stream",
  op: "update",
  stream_id: 2,
  name: "barn",
  property,
  value,
});
const withoutFolders = (property: string): Event => ({ type: "user_settings", op: "update", property, value: false });

test("channels are in sections by folder, in the folders' order, pinned ones on top and others last", async () => {
  render(<ChannelSection filter="" />);
  expect(sections()).toEqual(["Pinned dill", "Teams cider", "Projects barn elder", "Other channels aside"]);

  await follow({ type: "channel_folder", op: "reorder", order: [1, 2] });
  expect(sections()).toEqual(["Pinned dill", "Projects barn elder", "Teams cider", "Other channels aside"]);
  await follow(updateChannel("folder_id", 2), {
    type: "channel_folder",
    op: "update",
    channel_folder_id: 2,
    data: { name: "Crews" },
  });
  expect(sections()).toEqual(["Pinned dill", "Projects elder", "Crews barn cider", "Other channels aside"]);
  await follow(withoutFolders("web_left_sidebar_show_channel_folders"));
  expect(sections()).toEqual(["Pinned dill", "Channels aside barn cider elder"]);
});

test("a section that was collapsed stays so, counts what is unread, and opens for what the filter finds", async () => {
  const { unmount } = render(<ChannelSection filter="" />);
  fireEvent.click(toggle("Projects"));
  expect(toggle("Projects").getAttribute("aria-expanded")).toBe("false");
  unmount();

  const { rerender } = render(<ChannelSection filter="" />);
  expect(sections()[2]).toBe("Projects2 unread2");
  expect(within(toggle("Teams")).queryByText(/unread/)).toBeNull();
  await findBy("bar");
  rerender(<ChannelSection filter="bar" />);
  expect(sections()).toEqual(["Projects barn", "Other channels"]);
  await findBy("");
  rerender(<ChannelSection filter="" />);
  fireEvent.click(toggle("Projects"));
  expect(sections()[2]).toBe("Projects barn elder");
});

test("the Inbox has the channels of a folder together, unless the reader wants none", async () => {
  const order = () => inboxOrder.value.map(({ key }) => key);
  expect(order()).toEqual(["topic:3:a", "topic:2:a", "topic:1:a"]);
  await follow(withoutFolders("web_inbox_show_channel_folders"));
  expect(order()).toEqual(["topic:1:a", "topic:2:a", "topic:3:a"]);
});
