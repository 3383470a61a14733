import { expect, test } from "vitest";
import { checkPassword, hashPassword, isPassword } from "./passwords.ts";

const account = ["hamlet@example.com", "Hamlet of Denmark"];

test.for(["a", "aaaaaaaa", "abababab", "123456", "987654", "qwerty", "abcdefg", "Password1", "hamlet", "HAMLET99", ""])(
  "%j is too weak",
  (password) => {
    expect(() => checkPassword(password, account)).toThrow("The password is too weak.");
  },
);

test.for(["Basalt-7f3a-tide", "correct horse", "пароль и ещё"])("%j is strong enough", (password) => {
  expect(() => checkPassword(password, account)).not.toThrow();
});

test("a password has at most 100 characters", () => {
  expect(() => checkPassword("Basalt-tide".repeat(10), account)).toThrow(
    "password is too long (limit: 100 characters)",
  );
});

test("a hash knows its password and no other", async () => {
  const hash = await hashPassword("Basalt-7f3a-tide");

  expect(hash).toMatch(/^\$argon2id\$/);
  expect(await isPassword(hash, "Basalt-7f3a-tide")).toBe(true);
  expect(await isPassword(hash, "Basalt-7f3a-tidE")).toBe(false);
  expect(await isPassword(null, "Basalt-7f3a-tide")).toBe(false);
  expect(await isPassword(undefined, "")).toBe(false);
});
