import { expect, test } from "vitest";
import { SecretBox } from "./secret-box.ts";

const secret = "0123456789abcdef0123456789abcdef";
const box = new SecretBox(secret);

test("a sealed text can be opened by every process that has the secret", () => {
  const sealed = box.seal("wahrscheinlich 🔑", "bot key 7");

  expect(sealed).not.toContain("wahrscheinlich");
  expect(new SecretBox(secret).open(sealed, "bot key 7")).toBe("wahrscheinlich 🔑");
});

test("the same text is never sealed twice the same way", () => {
  expect(box.seal("x", "p")).not.toBe(box.seal("x", "p"));
});

test("nothing can be opened with another secret, for another purpose, or after a modification", () => {
  const sealed = box.seal("key", "bot key 7");
  const changed = sealed.replace(/(?<=\..{9})./, (letter) => (letter === "A" ? "B" : "A"));

  expect(new SecretBox(`${secret}!`).open(sealed, "bot key 7")).toBeUndefined();
  expect(box.open(sealed, "bot key 8")).toBeUndefined();
  expect(box.open(changed, "bot key 7")).toBeUndefined();
  expect(box.open(sealed.slice(0, 20), "bot key 7")).toBeUndefined();
  expect(box.open("", "bot key 7")).toBeUndefined();
});

test("without a secret nothing is sealed, and the error says what the operator has to do", () => {
  const empty = new SecretBox("");

  expect(() => empty.seal("key", "p")).toThrow("SKEIN_SECRET");
  expect(empty.open(box.seal("key", "p"), "p")).toBeUndefined();
});

test("a second secret opens, and what it sealed can be sealed again with the first", () => {
  const next = "the next secret, which is long enough";
  const both = new SecretBox(next, secret);
  const sealed = box.seal("hush", "bot key 7");

  const again = both.reseal(sealed, "bot key 7");

  expect(both.open(sealed, "bot key 7")).toBe("hush");
  expect(new SecretBox(next).open(again ?? "", "bot key 7")).toBe("hush");
  expect(both.reseal(again ?? "", "bot key 7")).toBeUndefined();
  expect(both.reseal(sealed, "bot key 8")).toBeUndefined();
});
