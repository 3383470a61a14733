import { subscribe } from "@skein/api/subscriptions.ts";
import {
  createUserGroup,
  deactivateUserGroup,
  getUserGroups,
  updateUserGroup,
  updateUserGroupSubgroups,
} from "@skein/api/user-groups.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";

async function newGroup(user: TestUser, name: string, more: object = {}) {
  const created = await user.call(createUserGroup, { name, description: "", members: [], ...more });
  return success(created).group_id;
}

const knowing = (include_deactivated_groups: boolean) => ({
  client_capabilities: { notification_settings_null: true, include_deactivated_groups },
});

test("a deactivated group is an update for clients that support it, and removed for others", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  const id = await newGroup(realm.admin, "players");
  const knows = await guest.register(["user_group"], [], knowing(true));
  const ignorant = await guest.register(["user_group"], [], knowing(false));

  success(await realm.admin.call(deactivateUserGroup, { user_group_id: id }));
  success(await realm.admin.call(updateUserGroup, { user_group_id: id, name: "sleepers" }));
  success(await realm.admin.call(updateUserGroup, { user_group_id: id, deactivated: false }));

  const update = { type: "user_group", op: "update", group_id: id };
  expect(await knows.next()).toEqual({ ...update, data: { deactivated: true } });
  expect(await knows.next()).toEqual({ ...update, data: { name: "sleepers" } });
  expect(await knows.next()).toEqual({ ...update, data: { deactivated: false } });
  expect(await ignorant.next()).toEqual({ type: "user_group", op: "remove", group_id: id });
  expect(await ignorant.next()).toMatchObject({ op: "add", group: { id, name: "sleepers", deactivated: false } });
});

test("deactivated groups are listed only on request", async () => {
  const realm = await newRealm();
  const id = await newGroup(realm.admin, "players");
  success(await realm.admin.call(deactivateUserGroup, { user_group_id: id }));
  const listed = async (include_deactivated_groups: boolean) =>
    success(await realm.admin.call(getUserGroups, { include_deactivated_groups })).user_groups.some(
      (group) => group.id === id,
    );

  expect(await listed(true)).toBe(true);
  expect(await listed(false)).toBe(false);
});

test("a group in use cannot be deactivated, and the error states where it is used", async () => {
  const realm = await newRealm();
  const used = await newGroup(realm.admin, "used");
  const outer = await newGroup(realm.admin, "outer", { subgroups: [used] });
  const list = { direct_members: [realm.admin.id], direct_subgroups: [used] };
  const other = await newGroup(realm.admin, "other", { can_manage_group: list, can_join_group: used });
  success(
    await realm.admin.call(subscribe, { subscriptions: [{ name: "elsinore" }], can_administer_channel_group: list }),
  );
  const { id: channel_id } = await realm.ctx.db
    .selectFrom("channels")
    .select("id")
    .where("realm_id", "=", realm.id)
    .executeTakeFirstOrThrow();
  await realm.ctx.db.updateTable("realms").set({ can_create_groups_id: used }).where("id", "=", realm.id).execute();
  // A group's references to itself do not count.
  success(await realm.admin.call(updateUserGroup, { user_group_id: used, can_mention_group: { new: used } }));

  expect(await realm.admin.call(deactivateUserGroup, { user_group_id: used })).toMatchObject({
    code: "CANNOT_DEACTIVATE_GROUP_IN_USE",
    msg: "Cannot deactivate user group in use.",
    objections: [
      { type: "subgroup", supergroup_ids: [outer] },
      { type: "channel", channel_id, settings: ["can_administer_channel_group"] },
      { type: "user_group", group_id: other, settings: ["can_join_group", "can_manage_group"] },
      { type: "realm", settings: ["can_create_groups"] },
    ],
  });
});

test("a deactivated group cannot become a subgroup or a value, nor be deactivated twice", async () => {
  const realm = await newRealm();
  const id = await newGroup(realm.admin, "players");
  const other = await newGroup(realm.admin, "other");
  success(await realm.admin.call(deactivateUserGroup, { user_group_id: id }));
  const refusal = { code: "BAD_REQUEST", msg: "User group is deactivated." };

  for (const call of [
    realm.admin.call(deactivateUserGroup, { user_group_id: id }),
    realm.admin.call(updateUserGroupSubgroups, { user_group_id: other, add: [id] }),
    realm.admin.call(updateUserGroup, { user_group_id: other, can_join_group: { new: id } }),
    realm.admin.call(updateUserGroup, {
      user_group_id: other,
      can_join_group: { new: { direct_members: [realm.admin.id], direct_subgroups: [id] } },
    }),
  ])
    expect(await call).toMatchObject(refusal);
});

test("a group can be reactivated only after those it uses", async () => {
  const realm = await newRealm();
  const inner = await newGroup(realm.admin, "inner");
  const outer = await newGroup(realm.admin, "outer", { subgroups: [inner] });
  for (const user_group_id of [outer, inner]) success(await realm.admin.call(deactivateUserGroup, { user_group_id }));
  const wake = (user_group_id: number) => realm.admin.call(updateUserGroup, { user_group_id, deactivated: false });

  expect(await wake(outer)).toMatchObject({
    msg: "Cannot reactivate a user group that uses deactivated user groups.",
  });
  success(await wake(inner));
  success(await wake(outer));
});

test("a group used at the moment of its deactivation is either in use or deactivated", async () => {
  const realm = await newRealm();
  const other = await newGroup(realm.admin, "other");

  for (let round = 0; round < 10; round++) {
    const id = await newGroup(realm.admin, `players ${round}`);
    const [deactivated, used] = await Promise.all([
      realm.admin.on(round).call(deactivateUserGroup, { user_group_id: id }),
      realm.admin.on(round + 1).call(updateUserGroup, { user_group_id: other, can_join_group: { new: id } }),
    ]);
    expect([deactivated.result, used.result].toSorted()).toEqual(["error", "success"]);
  }
});
