// @vitest-environment node
import { expect, test } from "vitest";
import { findAddresses } from "./addresses.ts";

test.each([
  ["a list with commas", "a@x.com, b@x.com,c@x.com", ["a@x.com", "b@x.com", "c@x.com"]],
  ["lines", "a@x.com\nb@x.com\r\n", ["a@x.com", "b@x.com"]],
  ["names and brackets", '"Ada Lovelace" <ada@x.com>; Bo <bo@x.com>', ["ada@x.com", "bo@x.com"]],
  ["whitespace only", "a@x.com b@x.com", ["a@x.com", "b@x.com"]],
  ["each once", "a@x.com, A@x.com", ["A@x.com"]],
])("%s", (_, text, addresses) => {
  expect(findAddresses(text).map(({ address }) => address)).toEqual(addresses);
});

test("an invalid address is kept and reported", () => {
  expect(findAddresses("ada@, bo@x.com")).toEqual([
    { address: "ada@", isValid: false },
    { address: "bo@x.com", isValid: true },
  ]);
});
