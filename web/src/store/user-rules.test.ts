import type { RegisteredUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { findPerson } from "./people.ts";
import { replaceState } from "./state.ts";
import { lockOfAddress, lockOfDeactivation, lockOfRole, rolesFor } from "./user-rules.ts";

const user = (id: number, role: number): RegisteredUser =>
  ({ user_id: id, full_name: `user ${id}`, email: "", delivery_email: "", is_bot: false, role }) as RegisteredUser; // the fields in use

/** The reader is the first. */
const readBy = (role: number, ...others: number[]) =>
  replaceState({ user_id: 1, realm_users: [role, ...others].map((each, index) => user(index + 1, each)) });

const ruled = (id: number) => {
  const person = findPerson(id);
  return {
    roles: rolesFor(person),
    role: lockOfRole(person) === undefined,
    deactivation: lockOfDeactivation(person) === undefined,
  };
};

test("an owner changes everybody, also another owner, but the only owner stays one", () => {
  readBy(100, 400, 600);
  expect(ruled(1)).toEqual({ roles: [100, 200, 300, 400, 600], role: false, deactivation: false });
  expect(ruled(2)).toEqual({ roles: [100, 200, 300, 400, 600], role: true, deactivation: true });
  expect(lockOfAddress()).toBeUndefined();

  readBy(100, 100);
  expect(ruled(1)).toMatchObject({ role: true, deactivation: true });
  expect(ruled(2)).toMatchObject({ role: true, deactivation: true });
});

test("an administrator changes everybody but owners, and makes no owners", () => {
  readBy(200, 100, 100, 300);

  expect(ruled(2)).toMatchObject({ role: false, deactivation: false });
  expect(ruled(4)).toEqual({ roles: [200, 300, 400, 600], role: true, deactivation: true });
  expect(lockOfAddress()).toBeDefined();
});

test("a guest becomes a member or moderator first", () => {
  readBy(100, 600);

  expect(ruled(2).roles).toEqual([300, 400, 600]);
});

test("a moderator changes nobody", () => {
  readBy(300, 400, 100);

  expect(ruled(2)).toMatchObject({ role: false, deactivation: false });
});
