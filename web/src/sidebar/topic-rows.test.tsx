import { cleanup, render, screen } from "@testing-library/preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { go } from "../navigation/router.ts";
import { topicConversation } from "../store/conversations.ts";
import { replaceState } from "../store/state.ts";
import { TopicRows } from "./topic-rows.tsx";

const topics = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

beforeEach(() => {
  replaceState({ user_id: 5 });
  vi.stubGlobal("fetch", async () =>
    Response.json({ result: "success", msg: "", topics: topics.map((name, index) => ({ name, max_id: 100 - index })) }),
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const names = () => screen.getAllByRole("link").map(({ textContent }) => textContent);

test("the open topic has a row even if the list does not contain it, as after a change of its name", async () => {
  go({ kind: "conversation", conversation: topicConversation(7, "✔ logo") });
  render(<TopicRows channelId={7} />);
  expect(names()).toEqual(["Resolved:logo"]);

  await screen.findByText("one");

  expect(names()).toEqual([...topics.slice(0, 7), "Resolved:logo", "All 9 topics"]);
});
