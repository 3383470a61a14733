// @vitest-environment node
import { expect, test } from "vitest";
import { meaningOfEnter } from "./enter.ts";

const plain = { key: "Enter", shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, isComposing: false };

test.each([
  ["Enter", {}, "send", "break"],
  ["Ctrl Enter", { ctrlKey: true }, "break", "send"],
  ["⌘ Enter", { metaKey: true }, "break", "send"],
  ["Shift Enter", { shiftKey: true }, "break", "break"],
  ["Enter of an input method", { isComposing: true }, undefined, undefined],
  ["another key", { key: "a" }, undefined, undefined],
])("%s", (_, more, whereEnterSends, whereItDoesNot) => {
  expect(meaningOfEnter({ ...plain, ...more }, true)).toBe(whereEnterSends);
  expect(meaningOfEnter({ ...plain, ...more }, false)).toBe(whereItDoesNot);
});
