import { expect, test } from "vitest";
import { checkFullName } from "./full-name.ts";

test.for(["Zoë Ωμέγα 测试", "O'Brien-Smith", "Jo", "𐍈".repeat(100), "A | B"])("%s is a valid name", (name) => {
  expect(checkFullName(name)).toBe(name);
});

test("spaces around a name are removed", () => {
  expect(checkFullName("  Hamlet ")).toBe("Hamlet");
});

test.for([
  ["", "Name too short!"],
  ["   ", "Name too short!"],
  ["x", "Name too short!"],
  ["x".repeat(101), "Name too long!"],
  ["@bad*name", "Invalid characters in name!"],
  ["`code`", "Invalid characters in name!"],
  ["bad\u0000name", "Invalid characters in name!"],
  ["zero\u200bwidth", "Invalid characters in name!"],
  ["Hamlet|7", "Invalid format!"],
] as const)("%j is not a valid name: %s", ([name, message]) => {
  expect(() => checkFullName(name)).toThrow(message);
});
