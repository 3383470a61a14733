import type { Event } from "@skein/api/events.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { beginEdit, cancelEdit, editedText, editOf, keepEditedText, saveEdit, startEdits } from "./edits.ts";
import { applyEvents } from "./events.ts";
import { addMessages, findMessage, type Message } from "./messages.ts";
import { replaceState } from "./state.ts";
import { toasts } from "./toasts.ts";

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
  } as unknown as Message; // the fields in use
  addMessages([message]);
  answers["GET"] = () => Response.json({ result: "success", msg: "", message: { ...message, content: "old" } });
  answers["PATCH"] = () => Response.json({ result: "success", msg: "", detached_uploads: [] });
  vi.stubGlobal("fetch", async (_path: string, init: RequestInit) => answers[init.method ?? ""]?.(init));
});
afterEach(() => {
  toasts.value = [];
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

test("the source text is edited, and the new text is shown until the server's rendering arrives", async () => {
  await beginEdit(message);
  expect(editOf(message.id).value).toMatchObject({ state: "open", text: "old" });

  saveEdit(message, "new");
  expect(editOf(message.id).value).toMatchObject({ state: "saving", text: "new" });

  applyEvents([rendered("new")]);
  expect(editOf(message.id).value).toBeUndefined();
  expect(findMessage(message.id)?.value.content).toBe("<p>new</p>");
});

test("refused text is back in the field, with the server's error message at it", async () => {
  await beginEdit(message);
  answers["PATCH"] = () =>
    Response.json({ result: "error", msg: "The time limit is over", code: "BAD_REQUEST" }, { status: 400 });

  saveEdit(message, "new");

  await vi.waitFor(() =>
    expect(editOf(message.id).value).toEqual({
      state: "open",
      original: "old",
      text: "new",
      reason: "The time limit is over",
    }),
  );
  expect(editedText(message.id)).toBe("new");
});

test("canceling closes the field, and the discarded changes can be restored", async () => {
  await beginEdit(message);
  keepEditedText(message.id, "half of it");

  cancelEdit(message.id);
  expect(editOf(message.id).value).toBeUndefined();
  toasts.value[0]?.undo?.();

  expect(editOf(message.id).value).toMatchObject({ state: "open", original: "old", text: "half of it" });
});

test("the text in the field survives a reload until it is saved or canceled", async () => {
  const kept = () => Object.entries(localStorage).filter(([key]) => key === `skein-edit-5-${message.id}`);
  await beginEdit(message);
  keepEditedText(message.id, "half of it");
  expect(kept()).toHaveLength(1);

  startEdits();
  expect(editOf(message.id).value).toMatchObject({ state: "open", original: "old", text: "half of it" });
  saveEdit(message, "all of it");
  expect(kept()[0]?.[1]).toContain("all of it");
  applyEvents([rendered("all of it")]);

  expect(kept()).toEqual([]);
});

test("a stored edit that cannot be read does not stop the others from opening", () => {
  localStorage.setItem("skein-edit-5-901", "{broken");
  localStorage.setItem("skein-edit-5-902", '"a text"');
  localStorage.setItem("skein-edit-5-nine", '{"original":"o","text":"t"}');
  localStorage.setItem("skein-edit-5-903", '{"original":"old","text":"new"}');

  startEdits();

  expect([901, 902, 903].map((id) => editOf(id).value?.text)).toEqual([undefined, undefined, "new"]);
  cancelEdit(903);
});
