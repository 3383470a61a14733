import { createUserGroup, getUserGroups, updateUserGroup } from "@skein/api/user-groups.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";

async function newGroup(user: TestUser, name: string): Promise<number> {
  return success(await user.call(createUserGroup, { name, description: "", members: [] })).group_id;
}

test("a request that expects a different old value changes nothing", async () => {
  const realm = await newRealm();
  const [a, b] = [await newGroup(realm.admin, "a"), await newGroup(realm.admin, "b")];
  const set = (change: { new: number; old?: number | { direct_members: number[]; direct_subgroups: number[] } }) =>
    realm.admin.call(updateUserGroup, { user_group_id: a, can_manage_group: change });
  const queue = await realm.admin.register(["user_group"]);

  expect(await set({ new: b, old: b })).toMatchObject({
    code: "EXPECTATION_MISMATCH",
    msg: "'old' value does not match the expected value.",
  });
  success(await set({ new: b, old: { direct_members: [realm.admin.id], direct_subgroups: [] } }));
  success(await set({ new: b }));
  success(await set({ new: a, old: { direct_members: [], direct_subgroups: [b] } }));

  const update = { type: "user_group", op: "update", group_id: a };
  expect(await queue.next()).toEqual({ ...update, data: { can_manage_group: b } });
  expect(await queue.next()).toEqual({ ...update, data: { can_manage_group: a } });
});

test("if many requests change the same old value at once, one succeeds", async () => {
  const realm = await newRealm();
  const id = await newGroup(realm.admin, "players");
  const others = await Promise.all(Array.from({ length: 6 }, (_, n) => newGroup(realm.admin, `other ${n}`)));
  const { user_groups } = success(await realm.admin.call(getUserGroups, {}));
  const old = user_groups.find((group) => group.id === id)?.can_join_group ?? 0;

  const answers = await Promise.all(
    others.map((other, node) =>
      realm.admin.on(node).call(updateUserGroup, { user_group_id: id, can_join_group: { new: other, old } }),
    ),
  );

  expect(answers.filter((answer) => answer.result === "success")).toHaveLength(1);
});

test("a group is renamed to a free name with one event, and an unchanged name emits none", async () => {
  const realm = await newRealm();
  const id = await newGroup(realm.admin, "players");
  await newGroup(realm.admin, "taken");
  const queue = await realm.admin.register(["user_group"]);
  const update = (change: object) => realm.admin.call(updateUserGroup, { user_group_id: id, ...change });

  expect(await update({})).toMatchObject({ msg: "No new data supplied" });
  expect(await update({ name: "TAKEN" })).toMatchObject({ msg: "User group 'TAKEN' already exists." });
  success(await update({ name: "players", description: "" }));
  success(await update({ name: "PLAYERS", description: "on stage" }));

  const event = { type: "user_group", op: "update", group_id: id };
  expect(await queue.next()).toEqual({ ...event, data: { name: "PLAYERS" } });
  expect(await queue.next()).toEqual({ ...event, data: { description: "on stage" } });
});
