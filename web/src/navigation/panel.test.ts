import { expect, test } from "vitest";
import { formatPanel, parsePanel, withoutPanel, type Panel } from "./panel.ts";

const panels: Panel[] = [
  { kind: "details", tab: "people" },
  { kind: "details", tab: "files" },
  { kind: "user", userId: 9 },
  { kind: "history", messageId: 123 },
  { kind: "receipts", messageId: 123 },
];

test.each(panels)("a panel survives a round trip through the address: %o", (panel) => {
  const address = `#narrow/channel/7-design/topic/what.3F${formatPanel(panel)}`;

  expect(parsePanel(address)).toEqual(panel);
  expect(withoutPanel(address)).toBe("#narrow/channel/7-design/topic/what.3F");
});

test.each(["#inbox", "#inbox?panel=", "#inbox?panel=user/x", "#inbox?panel=details/all"])(
  "what is no panel is none: %s",
  (address) => {
    expect(parsePanel(address)).toBeUndefined();
  },
);
