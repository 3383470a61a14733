import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { go } from "../navigation/router.ts";
import { topicConversation } from "../store/conversations.ts";
import { replaceState } from "../store/state.ts";
import SearchDialog from "./search-dialog.tsx";

beforeEach(() => {
  replaceState({
    user_id: 5,
    realm_users: [{ user_id: 6, full_name: "Bo Li", delivery_email: null, email: "bo@x.org" }] as never,
    subscriptions: [{ stream_id: 7, name: "design", description: "", invite_only: false }] as never, // the fields in use
  });
});
afterEach(cleanup);

const field = () => screen.getByRole("combobox", { name: "Search messages" });
const type = (value: string) => fireEvent.input(field(), { target: { value } });
const press = (key: string) => fireEvent.keyDown(field(), { key });

test("typed filters become chips, and words are searched with them", async () => {
  const onClose = vi.fn<() => void>();
  render(<SearchDialog onClose={onClose} />);

  type("channel:des");
  press("Enter");
  type("sender:bo");
  press("Enter");
  expect(screen.getAllByRole("listitem").map((chip) => chip.textContent)).toEqual(["channel: design", "sender: Bo Li"]);
  type("teal");
  press("Enter");
  await Promise.resolve();

  expect(onClose).toHaveBeenCalledOnce();
  expect(location.hash).toBe("#narrow/channel/7-design/sender/6/search/teal");
});

test("a search from a topic is within it, unless its chips are removed or everywhere is chosen", async () => {
  go({ kind: "conversation", conversation: topicConversation(7, "logo paper") });
  render(<SearchDialog onClose={() => undefined} />);
  expect(screen.getAllByRole("listitem").map((chip) => chip.textContent)).toEqual([
    "channel: design",
    "topic: logo paper",
  ]);
  type("teal");
  press("ArrowDown");
  press("Enter");
  await Promise.resolve();
  expect(location.hash).toBe("#narrow/search/teal");
  cleanup();

  go({ kind: "conversation", conversation: topicConversation(7, "logo paper") });
  render(<SearchDialog onClose={() => undefined} />);
  fireEvent.click(screen.getByRole("button", { name: "Remove topic: logo paper" }));
  type("teal");
  press("Enter");
  await Promise.resolve();
  expect(location.hash).toBe("#narrow/channel/7-design/search/teal");
  go({ kind: "inbox", tab: "unread" });
});

test("Backspace in the empty field removes the last filter; each chip's button removes that one", () => {
  render(<SearchDialog onClose={() => undefined} />);
  const first = screen.queryAllByRole("listitem").length;
  type("has:link");
  press("Enter");
  type("is:starred");
  press("Enter");

  fireEvent.click(screen.getByRole("button", { name: "Remove has: link" }));
  expect(screen.getAllByRole("listitem").at(-1)?.textContent).toBe("is: starred");
  press("Backspace");
  expect(screen.queryAllByRole("listitem").length).toBe(first);
});
