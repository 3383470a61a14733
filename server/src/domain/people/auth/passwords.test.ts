import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, test } from "vitest";
import { checkPassword, hashPassword, isPassword } from "./passwords.ts";

const account = ["hamlet@example.com", "Hamlet of Denmark"];

test.for([
  "a",
  "aaaaaaaa",
  "abababab",
  "123456",
  "987654",
  "qwerty",
  "abcdefg",
  "Password1",
  "p4ssw0rd",
  "hamlet",
  "HAMLET99",
  "Denmark1",
  "monkey12",
  "iloveyou2",
  "a".repeat(100),
  "",
])("%j is too weak", async (password) => {
  await expect(checkPassword(password, account)).rejects.toThrow("The password is too weak.");
});

test.for(["Basalt-7f3a-tide", "correct horse", "пароль и ещё", `${"a".repeat(60)}Basalt-7f3a-tide`])(
  "%j is strong enough",
  async (password) => {
    await expect(checkPassword(password, account)).resolves.toBeUndefined();
  },
);

test("a password has at most 100 characters", async () => {
  await expect(checkPassword("Basalt-tide".repeat(10), account)).rejects.toThrow(
    "password is too long (limit: 100 characters)",
  );
});

test("estimating slow passwords does not block the node", async () => {
  await checkPassword("Basalt-7f3a-tide", account);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const begun = performance.now();
  delays.enable();

  const slow = Array.from({ length: 10 }, (_, index) => `${index}12a1!|(Tr0ub4@$$w0rd$4@8a1!|iIlL{}[]<>`.repeat(2));
  await Promise.all(slow.map((password) => checkPassword(password, account)));

  delays.disable();
  // On this thread, each password would block the event loop once.
  expect(delays.max / 1e6).toBeLessThan((performance.now() - begun) / 4);
});

test("a hash matches its password and no other", async () => {
  const hash = await hashPassword("Basalt-7f3a-tide");

  expect(hash).toMatch(/^\$argon2id\$/);
  expect(await isPassword(hash, "Basalt-7f3a-tide")).toBe(true);
  expect(await isPassword(hash, "Basalt-7f3a-tidE")).toBe(false);
  expect(await isPassword(null, "Basalt-7f3a-tide")).toBe(false);
  expect(await isPassword(undefined, "")).toBe(false);
});
