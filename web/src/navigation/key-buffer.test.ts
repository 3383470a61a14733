import { afterEach, expect, test, vi } from "vitest";
import { KeyBuffer, replayKeys } from "./key-buffer.ts";

const press = (key: string, more: KeyboardEventInit = {}): KeyboardEvent => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  document.body.dispatchEvent(event);
  return event;
};

afterEach(() => {
  document.body.replaceChildren();
});

test("keys typed before a dialog opens trigger no shortcut and are kept in order", () => {
  const shortcut = vi.fn<() => void>();
  document.addEventListener("keydown", shortcut);
  const keys = new KeyBuffer(() => undefined);

  keys.start();
  const typed = ["d", "s", "x", "Backspace", "Enter"].map((key) => press(key));
  const kept = keys.take();
  press("j");

  expect(typed.every(({ defaultPrevented }) => defaultPrevented)).toBe(true);
  expect(kept).toEqual([{ text: "d" }, { text: "s" }, { key: "Enter" }]);
  expect(shortcut).toHaveBeenCalledTimes(1);
  document.removeEventListener("keydown", shortcut);
});

test("Escape stops capturing, and the browser's own keys are left alone", () => {
  const onEscape = vi.fn<() => void>();
  const keys = new KeyBuffer(onEscape);

  keys.start();
  const reload = press("r", { ctrlKey: true });
  press("Escape");

  expect(onEscape).toHaveBeenCalledTimes(1);
  expect(reload.defaultPrevented).toBe(false);
  expect(keys.take()).toEqual([]);
});

test("captured keys are typed into the focused field, and action keys follow the text", async () => {
  const field = document.createElement("input");
  field.type = "text";
  document.body.append(field);
  field.focus();
  const events: string[] = [];
  field.addEventListener("input", () => events.push(`text ${field.value}`));
  field.addEventListener("keydown", ({ key }) => events.push(`key ${key}`));

  await replayKeys([{ text: "l" }, { text: "o" }, { key: "ArrowDown" }, { text: "g" }, { key: "Enter" }]);

  expect(events).toEqual(["text lo", "key ArrowDown", "text log", "key Enter"]);
});
