import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addMessages, findMessage, type Message } from "../store/messages.ts";
import { replaceState } from "../store/state.ts";
import { Toasts } from "../ui/toast.tsx";
import { Reactions } from "./reactions.tsx";

let answer: () => Response;
let lastId = 500;

beforeEach(() => {
  vi.stubGlobal("fetch", async () => answer());
  replaceState({
    user_id: 5,
    realm_users: [
      { user_id: 5, full_name: "Ada" },
      { user_id: 6, full_name: "Bo" },
    ] as never, // the fields in use
  });
  const tada = { emoji_name: "tada", emoji_code: "1f389", reaction_type: "unicode_emoji", user_id: 6 } as const;
  addMessages([{ id: ++lastId, content: "", flags: [], reactions: [tada], submessages: [] } as unknown as Message]); // as above
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Shown({ id }: { id: number }) {
  const message = findMessage(id)?.value;
  return (
    <>
      {message && <Reactions message={message} isTabStop />}
      <Toasts />
    </>
  );
}

const reaction = () => screen.getByRole("button", { name: /reacted with :tada:/ });

test("a click adds the reader's reaction at once, and the people who reacted are named", async () => {
  answer = () => Response.json({ result: "success", msg: "" });
  render(<Shown id={lastId} />);
  expect(reaction().getAttribute("aria-label")).toBe("Bo reacted with :tada:");
  expect(reaction().getAttribute("aria-pressed")).toBe("false");

  fireEvent.click(reaction());

  await vi.waitFor(() => expect(reaction().getAttribute("aria-label")).toBe("Bo and Ada reacted with :tada:"));
  expect(reaction().getAttribute("aria-pressed")).toBe("true");
});

test("a refused reaction is reverted, with the server's error message", async () => {
  answer = () =>
    Response.json({ result: "error", msg: "Reaction limit reached", code: "BAD_REQUEST" }, { status: 400 });
  render(<Shown id={lastId} />);

  fireEvent.click(reaction());

  expect(await screen.findByText("Reaction limit reached")).toBeTruthy();
  expect(reaction().getAttribute("aria-pressed")).toBe("false");
});
