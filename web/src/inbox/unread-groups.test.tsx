import { act, cleanup, fireEvent, render } from "@testing-library/preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { topicConversation } from "../store/conversations.ts";
import { replaceState } from "../store/state.ts";
import type { UnreadConversation } from "../store/unread.ts";
import { UnreadGroups, type UnreadGroup } from "./unread-groups.tsx";

const unread = (channelId: number, count: number): UnreadConversation[] =>
  Array.from({ length: count }, (_, n) => ({
    conversation: topicConversation(channelId, `topic ${n}`),
    key: `${channelId}:${n}`,
    ids: [channelId * 100_000 + n],
    isMention: false,
  }));
const groups: UnreadGroup[] = [1, 2].map((key) => ({
  key,
  heading: <h2>{key}</h2>,
  conversations: unread(key, 5000),
  showsChannel: false,
}));

/** The ids whose messages were asked for. */
let asked: number[];

beforeEach(() => {
  asked = [];
  replaceState({ user_id: 5 });
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(...(JSON.parse(new URL(path, location.origin).searchParams.get("message_ids") ?? "[]") as number[]));
    return Response.json({ result: "success", msg: "", messages: [] });
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test("of 10,000 conversations the rows near the view exist, and the one with focus", async () => {
  const { container } = render(<UnreadGroups groups={groups} />);
  const rows = () => [...container.querySelectorAll("li")];
  const topics = () => rows().map(({ dataset }) => dataset["key"]);
  const list = container.firstElementChild as HTMLElement; // the component's
  expect(list.style.blockSize).toBe(`${2 * (44 + 5000 * 56)}px`);
  expect(rows().length).toBeLessThan(60);
  expect(topics()[0]).toBe("1:0");
  await vi.waitFor(() => expect(asked).toContain(100_000));
  expect(asked.length).toBeLessThan(100);
  rows()[0]?.querySelector<HTMLElement>("a")?.focus();

  list.getBoundingClientRect = () => ({ top: -(44 + 5000 * 56) - 1000 }) as DOMRect; // all that is read
  await act(() => void fireEvent.scroll(container));

  expect(rows().length).toBeLessThan(90);
  expect(topics()).toContain("1:0");
  expect(topics()).toContain("2:17");
  expect(document.activeElement?.closest("li")?.dataset["key"]).toBe("1:0");
  expect(rows().at(-1)?.getAttribute("aria-setsize")).toBe("5000");
});
