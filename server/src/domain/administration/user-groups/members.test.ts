import { sendMessage } from "@skein/api/messages.ts";
import {
  createUserGroup,
  deactivateUserGroup,
  getIsUserGroupMember,
  getUserGroupMembers,
  getUserGroups,
  getUserGroupSubgroups,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
} from "@skein/api/user-groups.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";

const ascending = (...ids: number[]) => ids.toSorted((a, b) => a - b);

async function newGroup(user: TestUser, name: string, members: number[] = [], subgroups: number[] = []) {
  const created = await user.call(createUserGroup, { name, description: "", members, subgroups });
  return success(created).group_id;
}

async function systemGroup(user: TestUser, name: string): Promise<number> {
  const { user_groups } = success(await user.call(getUserGroups, {}));
  return user_groups.find((group) => group.name === name)?.id ?? 0;
}

test("everybody receives added and removed members and subgroups, in one request or several", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const inner = await newGroup(realm.admin, "inner");
  const id = await newGroup(realm.admin, "outer", [realm.admin.id]);
  const queue = await guest.register(["user_group"]);
  const foreign = await elsewhere.admin.register(["user_group"]);

  const answer = await realm.admin.call(updateUserGroupMembers, {
    user_group_id: id,
    add: [hamlet.id],
    delete: [realm.admin.id],
    add_subgroups: [inner],
  });
  success(await realm.admin.call(updateUserGroupMembers, { user_group_id: id, delete_subgroups: [inner] }));

  expect(answer).toEqual({ result: "success", msg: "" });
  const event = { type: "user_group", group_id: id };
  expect(await queue.next()).toEqual({ ...event, op: "add_members", user_ids: [hamlet.id] });
  expect(await queue.next()).toEqual({ ...event, op: "remove_members", user_ids: [realm.admin.id] });
  expect(await queue.next()).toEqual({ ...event, op: "add_subgroups", direct_subgroup_ids: [inner] });
  expect(await queue.next()).toEqual({ ...event, op: "remove_subgroups", direct_subgroup_ids: [inner] });
  expect(await foreign.all()).toEqual([]);
});

test("a group's members are listed directly and recursively", async () => {
  const realm = await newRealm();
  const [moderator, gone] = [await realm.user("moderator", { role: 300 }), await realm.user("gone")];
  const moderators = await systemGroup(realm.admin, "role:moderators");
  const administrators = await systemGroup(realm.admin, "role:administrators");
  const owners = await systemGroup(realm.admin, "role:owners");
  const hamlet = await realm.user("hamlet");
  const inner = await newGroup(realm.admin, "inner", [hamlet.id, gone.id], [moderators]);
  const outer = await newGroup(realm.admin, "outer", [], [inner]);
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", gone.id).execute();
  const members = async (user_group_id: number, direct_member_only: boolean) =>
    success(await realm.admin.call(getUserGroupMembers, { user_group_id, direct_member_only })).members;
  const subgroups = async (user_group_id: number, direct_subgroup_only: boolean) =>
    success(await realm.admin.call(getUserGroupSubgroups, { user_group_id, direct_subgroup_only })).subgroups;
  const isMember = async (user_id: number, direct_member_only = false) =>
    success(await realm.admin.call(getIsUserGroupMember, { user_group_id: outer, user_id, direct_member_only }));

  expect(await members(outer, true)).toEqual([]);
  expect(await members(outer, false)).toEqual(ascending(realm.admin.id, moderator.id, hamlet.id));
  expect(await members(moderators, true)).toEqual([moderator.id]);
  expect(await members(moderators, false)).toEqual(ascending(realm.admin.id, moderator.id));
  expect(await subgroups(outer, true)).toEqual([inner]);
  expect(await subgroups(outer, false)).toEqual(ascending(inner, moderators, administrators, owners));
  expect(await subgroups(moderators, true)).toEqual([administrators]);
  expect(await isMember(hamlet.id)).toMatchObject({ is_user_group_member: true });
  expect(await isMember(hamlet.id, true)).toMatchObject({ is_user_group_member: false });
  expect(await isMember(gone.id)).toMatchObject({ is_user_group_member: false });
  expect(await realm.admin.call(getIsUserGroupMember, { user_group_id: outer, user_id: 999_999_999 })).toMatchObject({
    msg: "No such user",
  });
});

test("each permission grants its action to its holders", async () => {
  const realm = await newRealm();
  const [hamlet, horatio, guest] = [
    await realm.user("hamlet"),
    await realm.user("horatio"),
    await realm.user("guest", { role: 600 }),
  ];
  const id = await newGroup(realm.admin, "players", [guest.id]);
  const members = await systemGroup(realm.admin, "role:members");
  const change = (user: TestUser, lists: { add?: number[]; delete?: number[] }) =>
    user.call(updateUserGroupMembers, { user_group_id: id, ...lists });
  const allow = async (permission: string, group: unknown) =>
    success(await realm.admin.call(updateUserGroup, { user_group_id: id, [permission]: { new: group } }));
  const refusal = { code: "BAD_REQUEST", msg: "Insufficient permission" };

  expect(await change(hamlet, { add: [hamlet.id] })).toMatchObject(refusal);
  await allow("can_join_group", members);
  success(await change(hamlet, { add: [hamlet.id] }));
  expect(await change(hamlet, { add: [horatio.id] })).toMatchObject(refusal);
  success(await change(hamlet, { delete: [hamlet.id] }));
  await allow("can_leave_group", { direct_members: [], direct_subgroups: [] });
  success(await change(hamlet, { add: [hamlet.id] }));
  expect(await change(hamlet, { delete: [hamlet.id] })).toMatchObject(refusal);
  await allow("can_add_members_group", { direct_members: [hamlet.id], direct_subgroups: [] });
  success(await change(hamlet, { add: [horatio.id] }));
  expect(await change(hamlet, { delete: [horatio.id] })).toMatchObject(refusal);
  await allow("can_remove_members_group", members);
  success(await change(hamlet, { delete: [horatio.id, hamlet.id] }));
  expect(await change(hamlet, { delete: [horatio.id] })).toMatchObject({
    msg: `There is no member '${horatio.id}' in this user group`,
  });
  expect(await hamlet.call(updateUserGroup, { user_group_id: id, name: "mine" })).toMatchObject(refusal);
  await allow("can_manage_group", { direct_members: [hamlet.id, guest.id], direct_subgroups: [] });
  success(await hamlet.call(updateUserGroup, { user_group_id: id, name: "mine" }));
  // A guest never holds a permission that cannot be given to everyone, even when named.
  expect(await guest.call(deactivateUserGroup, { user_group_id: id })).toMatchObject(refusal);
});

test("guests cannot read groups, and nobody those of another organization", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const guest = await realm.user("guest", { role: 600 });
  const id = await newGroup(realm.admin, "players");

  for (const call of [
    guest.call(getUserGroups, {}),
    guest.call(getUserGroupMembers, { user_group_id: id }),
    guest.call(updateUserGroupMembers, { user_group_id: id, add: [guest.id] }),
  ])
    expect(await call).toMatchObject({ code: "BAD_REQUEST", msg: "Not allowed for guest users" });
  for (const call of [
    elsewhere.admin.call(getUserGroupMembers, { user_group_id: id }),
    elsewhere.admin.call(getUserGroupSubgroups, { user_group_id: id }),
    elsewhere.admin.call(updateUserGroupMembers, { user_group_id: id, add: [elsewhere.admin.id] }),
    elsewhere.admin.call(deactivateUserGroup, { user_group_id: id }),
  ])
    expect(await call).toMatchObject({ code: "BAD_REQUEST", msg: "Invalid user group" });
});

test("a change that is redundant or invalid in part is refused as a whole", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const [inner, outer] = [await newGroup(realm.admin, "inner"), await newGroup(realm.admin, "outer", [hamlet.id])];
  const change = (lists: object) => realm.admin.call(updateUserGroupMembers, { user_group_id: outer, ...lists });
  success(await change({ add_subgroups: [inner] }));

  expect(await change({})).toMatchObject({ msg: expect.stringContaining("Nothing to do") });
  expect(await realm.admin.call(updateUserGroupSubgroups, { user_group_id: outer })).toMatchObject({
    msg: 'Nothing to do. Specify at least one of "add" or "delete".',
  });
  expect(await change({ delete: [hamlet.id], add_subgroups: [inner] })).toMatchObject({
    msg: `User group ${inner} is already a subgroup of this group.`,
  });
  expect(await change({ add: [hamlet.id] })).toMatchObject({
    msg: `User ${hamlet.id} is already a member of this group`,
  });
  expect(await change({ delete_subgroups: [outer] })).toMatchObject({
    msg: `User group ${outer} is not a subgroup of this group.`,
  });
  expect(await change({ add: [999_999_999] })).toMatchObject({ msg: "Invalid user ID: 999999999" });
  const { members } = success(
    await realm.admin.call(getUserGroupMembers, { user_group_id: outer, direct_member_only: true }),
  );
  expect(members).toEqual([hamlet.id]);
});

test("nobody can change a system group, not even its members", async () => {
  const realm = await newRealm();
  const moderators = await systemGroup(realm.admin, "role:moderators");
  const refusal = { code: "BAD_REQUEST", msg: "Insufficient permission" };

  for (const call of [
    realm.admin.call(updateUserGroupMembers, { user_group_id: moderators, add: [realm.admin.id] }),
    realm.admin.call(updateUserGroupSubgroups, { user_group_id: moderators, add: [moderators] }),
    realm.admin.call(updateUserGroup, { user_group_id: moderators, description: "us" }),
    realm.admin.call(deactivateUserGroup, { user_group_id: moderators }),
  ])
    expect(await call).toMatchObject(refusal);
});

test("a group cannot contain itself, even through two concurrent changes", async () => {
  const realm = await newRealm();
  const [a, b] = [await newGroup(realm.admin, "a"), await newGroup(realm.admin, "b")];
  const put = (node: number, subgroup: number, into: number) =>
    realm.admin.on(node).call(updateUserGroupSubgroups, { user_group_id: into, add: [subgroup] });

  expect(await put(0, a, a)).toMatchObject({
    msg: `User group ${a} is already a subgroup of one of the passed subgroups.`,
  });
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all([put(round, a, b), put(round + 1, b, a)]);
    expect(answers.filter((answer) => answer.result === "success")).toHaveLength(1);
    const [into, subgroup] = answers[0].result === "success" ? [b, a] : [a, b];
    success(await realm.admin.call(updateUserGroupSubgroups, { user_group_id: into, delete: [subgroup] }));
  }
});

test("if many requests add the same member at once, exactly one succeeds", async () => {
  const realm = await newRealm();
  const user_group_id = await newGroup(realm.admin, "players");

  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, node) =>
      realm.admin.on(node).call(updateUserGroupMembers, { user_group_id, add: [realm.admin.id] }),
    ),
  );

  expect(answers.filter((answer) => answer.result === "success")).toHaveLength(1);
});

for (const include_deactivated_groups of [true, false])
  test(`a client that follows groups ${include_deactivated_groups ? "with" : "without"} deactivated ones stays consistent with a fresh registration`, async () => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const capabilities = {
      client_capabilities: { notification_settings_null: true, include_deactivated_groups },
    };
    const [before, sleeper] = [await newGroup(realm.admin, "before"), await newGroup(realm.admin, "sleeper")];
    const queue = await hamlet.register(["user_group", "message"], ["realm_user_groups"], capabilities);

    const made = await newGroup(realm.admin, "made", [hamlet.id], [before]);
    success(await realm.admin.call(deactivateUserGroup, { user_group_id: sleeper }));
    success(await realm.admin.call(updateUserGroupMembers, { user_group_id: sleeper, add: [hamlet.id] }));
    success(await realm.admin.call(updateUserGroup, { user_group_id: sleeper, name: "asleep", description: "zzz" }));
    success(await realm.admin.call(updateUserGroupMembers, { user_group_id: before, add: [hamlet.id] }));
    success(
      await realm.admin.call(updateUserGroup, {
        user_group_id: made,
        can_join_group: { new: { direct_members: [hamlet.id], direct_subgroups: [before] } },
      }),
    );
    const back = await newGroup(realm.admin, "back");
    success(await realm.admin.call(deactivateUserGroup, { user_group_id: back }));
    success(await realm.admin.call(updateUserGroup, { user_group_id: back, deactivated: false, name: "again" }));
    const note = { type: "direct" as const, to: [hamlet.id], content: "done" };
    const { id } = success(await realm.admin.call(sendMessage, note));

    const followed = await queue.followedState(id);
    const fresh = await hamlet.register([], ["realm_user_groups"], capabilities);
    expect(followed.realm_user_groups).toEqual(fresh.state.realm_user_groups);
    expect(followed.realm_user_groups?.some((group) => group.id === sleeper)).toBe(include_deactivated_groups);
  });
