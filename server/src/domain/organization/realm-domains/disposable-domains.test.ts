import { expect, test } from "vitest";
import { disposableAddresses } from "./disposable-domains.ts";

test.each([
  ["a@mailinator.com", true],
  ["a@YOPmail.com", true],
  ["a@deep.inside.mailinator.com", true],
  ["a@temp-mail.io", true],
  ["a@inbox.temp-mail.io", true],
  ["a@gmail.com", false],
  ["mailinator.com@example.com", false],
  ["a@not-mailinator.example", false],
  ["a@com", false],
  ["", false],
])("%s is disposable: %s", async (address, expected) => {
  const isDisposable = await disposableAddresses();

  expect(isDisposable(address)).toBe(expected);
});
