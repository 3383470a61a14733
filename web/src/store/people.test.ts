import { effect } from "@preact/signals";
import type { Event } from "@skein/api/events.ts";
import type { RegisteredUser } from "@skein/api/users.ts";
import { beforeEach, expect, test } from "vitest";
import { applyEvents } from "./events.ts";
import { activePeople, findKnownPerson, findPerson, hasFewerPeople, peopleById, withSlimUsers } from "./people.ts";
import { replaceState } from "./state.ts";

const user = (id: number): RegisteredUser =>
  ({ user_id: id, full_name: `person ${id}`, email: `${id}@x`, delivery_email: null, is_bot: false }) as RegisteredUser; // the fields in use

const everyone = 100_000;

beforeEach(() =>
  replaceState(
    withSlimUsers({
      user_id: 1,
      realm_users: Array.from({ length: everyone }, (_, index) => user(index + 1)),
      realm_non_active_users: [],
      cross_realm_bots: [],
    }),
  ),
);

const rename = (id: number, full_name: string): Event => ({
  type: "realm_user",
  op: "update",
  person: { user_id: id, full_name },
});

test("renaming one of 100,000 people notifies only the readers of that one", () => {
  const shown = new Map<number, string[]>([1, 2, 50_000, everyone].map((id) => [id, []]));
  const stops = [...shown].map(([id, names]) => effect(() => void names.push(findPerson(id).full_name)));

  applyEvents([rename(50_000, "Zoe")]);
  applyEvents([rename(2, "Ann"), rename(everyone, "Bob")]);
  for (const stop of stops) stop();

  expect([...shown.values()]).toEqual([
    ["person 1"],
    ["person 2", "Ann"],
    ["person 50000", "Zoe"],
    [`person ${everyone}`, "Bob"],
  ]);
  expect(activePeople.value.find(({ user_id }) => user_id === 50_000)?.full_name).toBe("Zoe");
});

test("people who join, leave and come back are known as that", () => {
  const isActive = (is_active: boolean): Event => ({
    type: "realm_user",
    op: "update",
    person: { user_id: 7, is_active },
  });
  const counts = () => [activePeople.value.length, findPerson(7).isActive, findKnownPerson(everyone + 1)?.full_name];
  expect(counts()).toEqual([everyone, true, undefined]);

  applyEvents([isActive(false)]);
  expect(counts()).toEqual([everyone - 1, false, undefined]);
  applyEvents([{ type: "realm_user", op: "add", person: { ...user(everyone + 1), is_active: true } }]);
  expect(counts()).toEqual([everyone, false, `person ${everyone + 1}`]);
  applyEvents([isActive(true)]);
  expect(counts()).toEqual([everyone + 1, true, `person ${everyone + 1}`]);
});

test("a replaced state has its own people, whoever was known before", () => {
  expect(peopleById.value.has(everyone)).toBe(true);

  replaceState(withSlimUsers({ user_id: 1, realm_users: [user(1), { ...user(2), full_name: "Ann" }] }));

  expect([...peopleById.value.values()].map(({ full_name }) => full_name)).toEqual(["person 1", "Ann"]);
  expect([hasFewerPeople(3), hasFewerPeople(2)]).toEqual([true, false]);
});
