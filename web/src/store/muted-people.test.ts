import { beforeEach, expect, test } from "vitest";
import { directConversation } from "./conversations.ts";
import { isHidden, isWithMutedPerson, showHidden } from "./muted-people.ts";
import { replaceState } from "./state.ts";

beforeEach(() => replaceState({ user_id: 5, muted_users: [{ id: 6, timestamp: 1 }] }));

test("a muted person's message is hidden until the reader shows that one message", () => {
  expect(isHidden({ id: 100, sender_id: 7 })).toBe(false);
  expect(isHidden({ id: 101, sender_id: 6 })).toBe(true);

  showHidden(101);

  expect(isHidden({ id: 101, sender_id: 6 })).toBe(false);
  expect(isHidden({ id: 102, sender_id: 6 })).toBe(true);
});

test.each([
  ["a muted person", [6], true],
  ["somebody else", [7], false],
  ["a muted person and others", [6, 7], false],
  ["oneself", [], false],
])("a conversation with %s", (_name, people, expected) => {
  expect(isWithMutedPerson(directConversation(people, 5))).toBe(expected);
});
