import { expect, test } from "vitest";
import { apiEmail, canSeeAddress, placeholderUserId } from "./email.ts";
import { isEmail } from "../../base/email-address.ts";

const shy = { id: 7, delivery_email: "shy@example.com", is_bot: false };

test.for([
  [1, [100, 200, 300, 400, 600]],
  [2, [100, 200, 300, 400]],
  [5, [100, 200, 300]],
  [3, [100, 200]],
  [4, []],
] as const)("a visibility of %i shows the real address to the roles %j", ([email_address_visibility, roles]) => {
  const account = { ...shy, email_address_visibility };

  const seeing = [100, 200, 300, 400, 600].filter((role) => canSeeAddress({ id: 8, role }, account));

  expect(seeing).toEqual(roles);
  expect(canSeeAddress({ id: shy.id, role: 600 }, account)).toBe(true);
  expect(apiEmail(account, "chat.example.com")).toBe(
    email_address_visibility === 1 ? "shy@example.com" : "user7@chat.example.com",
  );
});

test("a bot's address is visible to everyone", () => {
  const bot = { ...shy, is_bot: true, email_address_visibility: 4 };

  expect(canSeeAddress({ id: 8, role: 600 }, bot)).toBe(true);
  expect(apiEmail(bot, "chat.example.com")).toBe("shy@example.com");
});

test.for([
  ["user7@chat.example.com", 7],
  ["USER7@Chat.Example.com", 7],
  ["user7@elsewhere.example.com", undefined],
  ["user@chat.example.com", undefined],
  ["user9999999999999999999@chat.example.com", undefined],
] as const)("the placeholder address %s is that of user %s", ([email, id]) => {
  expect(placeholderUserId(email, "chat.example.com")).toBe(id);
});

test.for([
  ["hamlet@example.com", true],
  ["o'brien+chat@mail.example.co.uk", true],
  ["owner@localhost", true],
  ["", false],
  ["not an address", false],
  ["@", false],
  ["a@", false],
  ["@example.com", false],
  ["two@at@example.com", false],
  [".dot@example.com", false],
  ["a@example", false],
  ["a@-example.com", false],
  ["a b@example.com", false],
  [`${"x".repeat(250)}@example.com`, false],
] as const)("isEmail of %j is %s", ([text, isOne]) => {
  expect(isEmail(text)).toBe(isOne);
});
