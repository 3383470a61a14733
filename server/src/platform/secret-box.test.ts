import { expect, test } from "vitest";
import { SecretBox } from "./secret-box.ts";

const secret = "0123456789abcdef0123456789abcdef";
const box = new SecretBox(secret);

test("what was sealed can be opened, by every process that has the secret", () => {
  const sealed = box.seal("wahrscheinlich 🔑", "bot key 7");

  expect(sealed).not.toContain("wahrscheinlich");
  expect(new SecretBox(secret).open(sealed, "bot key 7")).toBe("wahrscheinlich 🔑");
});

test("the same text is never sealed twice the same way", () => {
  expect(box.seal("x", "p")).not.toBe(box.seal("x", "p"));
});

test("nothing is opened under another secret, for another purpose, or after a change", () => {
  const sealed = box.seal("key", "bot key 7");
  const changed = sealed.replace(/(?<=\..{9})./, (letter) => (letter === "A" ? "B" : "A"));

  expect(new SecretBox(`${secret}!`).open(sealed, "bot key 7")).toBeUndefined();
  expect(box.open(sealed, "bot key 8")).toBeUndefined();
  expect(box.open(changed, "bot key 7")).toBeUndefined();
  expect(box.open(sealed.slice(0, 20), "bot key 7")).toBeUndefined();
  expect(box.open("", "bot key 7")).toBeUndefined();
});

test("without a secret nothing is sealed, and who asks learns what the operator has to do", () => {
  const empty = new SecretBox("");

  expect(() => empty.seal("key", "p")).toThrow("SKEIN_SECRET");
  expect(empty.open(box.seal("key", "p"), "p")).toBeUndefined();
});
