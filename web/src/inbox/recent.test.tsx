import { batch } from "@preact/signals";
import { act, cleanup, render } from "@testing-library/preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { applyEvents } from "../store/events.ts";
import { invalidateLists, shownLists } from "../store/lists.ts";
import { messageCount, type Message } from "../store/messages.ts";
import { replaceState } from "../store/state.ts";
import { generation } from "../store/sync.ts";
import { useRecent } from "./recent.ts";

/** The topics of the server's messages, by id. */
let topics: Map<number, string>;

const messageOf = ([id, subject]: [number, string]) =>
  ({ id, sender_id: 7, stream_id: 1, subject, content: "", flags: ["read"] }) as Partial<Message> as Message; // the fields in use

beforeEach(() => {
  replaceState({ user_id: 5 });
  generation.value = 1;
  topics = new Map([
    [1, "logo"],
    [2, "paint"],
    [3, "logo"],
  ]);
  vi.stubGlobal("fetch", async () =>
    Response.json({
      result: "success",
      msg: "",
      messages: [...topics].map(messageOf),
      found_newest: true,
      found_oldest: true,
      found_anchor: true,
      anchor: 3,
    }),
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Recent() {
  return (
    <p>
      {useRecent()
        ?.map(({ key, lastId }) => `${key} ${lastId}`)
        .join(", ") ?? "loading"}
    </p>
  );
}

test("recent conversations follow arrivals, and a replaced queue takes away what was deleted", async () => {
  const { container, unmount } = render(<Recent />);
  await vi.waitFor(() => expect(container.textContent).toBe("topic:1:logo 3, topic:1:paint 2"));

  const { flags, ...message } = messageOf([4, "paint"]);
  await act(() => void applyEvents([{ type: "message", message, flags }]));
  expect(container.textContent).toBe("topic:1:paint 4, topic:1:logo 3");

  topics = new Map([
    [1, "logo"],
    [5, "ink"],
  ]);
  await act(() =>
    batch(() => {
      invalidateLists();
      generation.value++;
    }),
  );
  await vi.waitFor(() => expect(container.textContent).toBe("topic:1:ink 5, topic:1:logo 1"));
  expect(messageCount()).toBe(2);

  unmount();
  await vi.waitFor(() => expect(shownLists()).toEqual([]));
  invalidateLists();
  expect(messageCount()).toBe(0);
});
