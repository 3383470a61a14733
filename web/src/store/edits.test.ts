import type { Event } from "@skein/api/events.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Toasts } from "../ui/toast.tsx";
import { cleanup, render, screen } from "@testing-library/preact";
import { createElement } from "preact";
import { beginEdit, cancelEdit, editedText, editOf, keepEditedText, saveEdit, startEdits } from "./edits.ts";
import { applyEvents } from "./events.ts";
import { addMessages, findMessage, type Message } from "./messages.ts";
import { replaceState } from "./state.ts";

const answers: Record<string, (init: RequestInit) => Response> = {};
let lastId = 100;
let message: Message;

beforeEach(() => {
  replaceState({ user_id: 5 });
  message = {
    id: ++lastId,
    content: "<p>old</p>",
    sender_id: 5,
    flags: ["read"],
    reactions: [],
    submessages: [],
    timestamp: 1,
  } as unknown as Message; // all that is looked at
  addMessages([message]);
  answers["GET"] = () => Response.json({ result: "success", msg: "", message: { ...message, content: "old" } });
  answers["PATCH"] = () => Response.json({ result: "success", msg: "", detached_uploads: [] });
  vi.stubGlobal("fetch", async (_path: string, init: RequestInit) => answers[init.method ?? ""]?.(init));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const rendered = (content: string): Event => ({
  type: "update_message",
  user_id: 5,
  rendering_only: false,
  message_id: message.id,
  message_ids: [message.id],
  flags: [],
  edit_timestamp: 9,
  content,
  rendered_content: `<p>${content}</p>`,
});

test("the text is edited as it was written, and the new one is shown until the server's rendering comes", async () => {
  await beginEdit(message);
  expect(editOf(message.id).value).toMatchObject({ state: "open", text: "old" });

  await saveEdit(message.id, "new");
  expect(editOf(message.id).value).toMatchObject({ state: "saving", text: "new" });

  applyEvents([rendered("new")]);
  expect(editOf(message.id).value).toBeUndefined();
  expect(findMessage(message.id)?.value.content).toBe("<p>new</p>");
});

test("what is refused is in the field again, with the server's words", async () => {
  render(createElement(Toasts, {}));
  await beginEdit(message);
  answers["PATCH"] = () =>
    Response.json({ result: "error", msg: "The time limit is over", code: "BAD_REQUEST" }, { status: 400 });

  await saveEdit(message.id, "new");

  expect(editOf(message.id).value).toMatchObject({ state: "open", original: "old", text: "new" });
  expect(editedText(message.id)).toBe("new");
  expect(await screen.findByText("The time limit is over")).toBeTruthy();
});

test("giving up closes the field, and what was changed can be had back", async () => {
  render(createElement(Toasts, {}));
  await beginEdit(message);
  keepEditedText(message.id, "half of it");

  cancelEdit(message.id);
  expect(editOf(message.id).value).toBeUndefined();
  (await screen.findByRole("button", { name: "Undo" })).click();

  expect(editOf(message.id).value).toMatchObject({ state: "open", original: "old", text: "half of it" });
});

test("what is in the field is kept for a page that is loaded anew, until it is saved or given up", async () => {
  const kept = () => Object.entries(localStorage).filter(([key]) => key === `skein-edit-5-${message.id}`);
  await beginEdit(message);
  keepEditedText(message.id, "half of it");
  expect(kept()).toHaveLength(1);

  startEdits();
  expect(editOf(message.id).value).toMatchObject({ state: "open", original: "old", text: "half of it" });
  await saveEdit(message.id, "all of it");
  expect(kept()[0]?.[1]).toContain("all of it");
  applyEvents([rendered("all of it")]);

  expect(kept()).toEqual([]);
});
