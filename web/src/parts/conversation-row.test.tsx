import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SubscriptionObject } from "@skein/api/subscriptions.ts";
import { topicConversation } from "../store/conversations.ts";
import { addMessages, type Message } from "../store/messages.ts";
import { replaceState } from "../store/state.ts";
import { ConversationRow } from "./conversation-row.tsx";

const requests: { path: string; body: string }[] = [];

beforeEach(() => {
  requests.length = 0;
  vi.stubGlobal("fetch", async (path: string, { body }: { body: URLSearchParams }) => {
    requests.push({ path, body: body.toString() });
    return Response.json({ result: "success", msg: "", messages: [] });
  });
  replaceState({
    user_id: 5,
    subscriptions: [{ stream_id: 7, name: "design", is_muted: false } as SubscriptionObject], // the fields in use
    unread_msgs: {
      count: 2,
      pms: [],
      streams: [{ stream_id: 7, topic: "logo", unread_message_ids: [1, 2] }],
      huddles: [],
      mentions: [2],
      old_unreads_missing: false,
    },
  });
  addMessages([
    {
      id: 2,
      content: "<p>a &lt;b&gt;\n<em>word</em></p>",
      sender_id: 9,
      sender_full_name: "Bo",
      timestamp: 1,
      flags: [],
    } as unknown as Message, // as before
  ]);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const row = () =>
  render(
    <ul>
      <ConversationRow conversation={topicConversation(7, "logo")} lastId={2} senderIds={[9]} showsChannel />
    </ul>,
  );

test("a row shows the topic, the channel, the last sender and message, and a mention", () => {
  row();

  const link = screen.getByRole("link");
  expect(link.textContent).toContain("logo");
  expect(link.textContent).toContain("design");
  expect(link.textContent).toContain("Bo: a <b> word");
  expect(link.textContent).toContain("2 unread");
  expect(screen.getByRole("img", { name: "Mentions you" })).toBeTruthy();
  expect(link.getAttribute("href")).toBe("#narrow/channel/7-design/topic/logo/with/1");
});

test("marking as read shows at once, and is reported to the server within a second", async () => {
  vi.useFakeTimers();
  row();

  fireEvent.click(screen.getByRole("button", { name: "Mark as read" }));
  await vi.advanceTimersByTimeAsync(0);
  expect(screen.getByRole("link").textContent).not.toContain("unread");
  await vi.advanceTimersByTimeAsync(1000);
  vi.useRealTimers();

  expect(requests).toEqual([{ path: "/json/messages/flags", body: "messages=%5B1%2C2%5D&op=add&flag=read" }]);
});
