// @vitest-environment node
import { expect, test } from "vitest";
import { initials, listNames, resolvedTopic, shownTopic } from "./names.ts";
import { fileSize } from "./sizes.ts";

test.each([
  ["Ada Lovelace", "AL"],
  ["grace brewster murray hopper", "GH"],
  ["Cher", "C"],
  ["(bot) reminder", "BR"],
  ["Łukasz Żak", "ŁŻ"],
  ["   ", ""],
])("the initials of %s are %s", (name, short) => {
  expect(initials(name)).toBe(short);
});

test("a long list of names shows a few and counts the rest", () => {
  expect(listNames(["Ada", "Bo"])).toBe("Ada and Bo");
  expect(listNames(["Ada", "Bo", "Cy"])).toBe("Ada, Bo, and Cy");
  expect(listNames(["Ada", "Bo", "Cy", "Di", "Ed"])).toBe("Ada, Bo, and 3 others");
});

test("a resolved topic keeps its name", () => {
  expect(resolvedTopic("logo", true)).toBe("✔ logo");
  expect(resolvedTopic("✔ logo", false)).toBe("logo");
  expect(shownTopic("✔ logo", "general chat")).toEqual({ name: "logo", isUnnamed: false, isResolved: true });
});

test("a topic without a name gets the server's default name", () => {
  expect(shownTopic("", "general chat")).toEqual({ name: "general chat", isUnnamed: true, isResolved: false });
});

test.each([
  [1, "1 byte"],
  [900, "900 bytes"],
  [1400, "1 kB"],
  [25_600_000, "25.6 MB"],
])("%d bytes are %s", (bytes, shown) => {
  expect(fileSize(bytes)).toBe(shown);
});
