import { expect, test } from "vitest";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import { activeOwnBots, canChangeEmail, isLastOwner, zuliprc } from "./account.ts";
import { creatableKinds } from "./bots.ts";
import { canChangeName } from "./own-profile.ts";
import { replaceState } from "./state.ts";

const person = (user_id: number, role: number, more = {}) => ({ user_id, role, is_bot: false, full_name: "", ...more });

const reader = (people: object[], more: Partial<FollowedState> = {}): void =>
  replaceState({ user_id: 5, realm_users: people as never, ...more }); // the fields in use

test("the last owner is one without another active person who is an owner", () => {
  reader([person(5, 100), person(6, 200), person(7, 100, { is_bot: true })]);
  expect(isLastOwner()).toBe(true);

  reader([person(5, 100), person(6, 100)]);
  expect(isLastOwner()).toBe(false);

  reader([person(5, 400)]);
  expect(isLastOwner()).toBe(false);
});

test("name and address are locked by the organization, but not for administrators", () => {
  const locked = { realm_name_changes_disabled: true, realm_email_changes_disabled: true };
  reader([person(5, 400)], locked);
  expect([canChangeName(), canChangeEmail()]).toEqual([false, false]);

  reader([person(5, 200)], locked);
  expect([canChangeName(), canChangeEmail()]).toEqual([true, true]);
});

test("who may only create incoming webhooks is offered nothing else", () => {
  const groups = [
    { id: 1, name: "role:members", members: [5], direct_subgroup_ids: [], is_system_group: true },
    { id: 2, name: "role:nobody", members: [], direct_subgroup_ids: [], is_system_group: true },
  ] as never; // as above
  const who = { realm_can_create_bots_group: 2, realm_can_create_write_only_bots_group: 1, realm_user_groups: groups };
  reader([person(5, 400)], who);
  expect(creatableKinds()).toEqual(["incoming"]);

  reader([person(5, 400)], { ...who, realm_can_create_bots_group: 1 });
  expect(creatableKinds()).toEqual(["generic", "incoming", "outgoing"]);
});

test("the reader's bots end with the account; the configuration file names the organization", () => {
  reader([person(5, 400), person(8, 400, { is_bot: true, bot_owner_id: 5 })], {
    realm_url: "https://chat.example.com",
  });
  expect(activeOwnBots().map(({ user_id }) => user_id)).toEqual([8]);
  expect(zuliprc({ email: "a@example.com", key: "k" })).toBe(
    "[api]\nemail=a@example.com\nkey=k\nsite=https://chat.example.com\n",
  );
});
