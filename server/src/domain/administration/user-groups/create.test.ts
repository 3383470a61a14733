import { createUserGroup, getUserGroups } from "@skein/api/user-groups.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";

const someGroup = { name: "players", description: "They act", members: [] as number[] };

async function systemGroups(realm: TestRealm): Promise<Record<string, number>> {
  const { user_groups } = success(await realm.admin.call(getUserGroups, {}));
  return Object.fromEntries(user_groups.map((group) => [group.name, group.id]));
}

async function groupNamed(user: TestUser, name: string) {
  const { user_groups } = success(await user.call(getUserGroups, {}));
  return user_groups.find((group) => group.name === name);
}

// spec 4.15: name, description, members, subgroups, response group_id
// spec 2.8: group_id
test("a new group is emitted to everybody in the organization, including guests, and to nobody else", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const queues = [await guest.register(["user_group"]), await realm.admin.register(["user_group"])];
  const foreign = await elsewhere.admin.register(["user_group"]);
  const moderators = (await systemGroups(realm))["role:moderators"] ?? 0;

  const members = [realm.admin.id, hamlet.id];
  const { group_id } = success(
    await hamlet.call(createUserGroup, { ...someGroup, members: members.toReversed(), subgroups: [moderators] }),
  );

  const group = await groupNamed(hamlet, "players");
  const creatorAlone = { direct_members: [hamlet.id], direct_subgroups: [] };
  const { "role:everyone": everyone, "role:nobody": nobody } = await systemGroups(realm);
  expect(group).toEqual({
    id: group_id,
    name: "players",
    description: "They act",
    creator_id: hamlet.id,
    date_created: expect.any(Number),
    members: members.toSorted((a, b) => a - b),
    direct_subgroup_ids: [moderators],
    is_system_group: false,
    deactivated: false,
    managed_by: null,
    can_add_members_group: creatorAlone,
    can_join_group: nobody,
    can_leave_group: everyone,
    can_manage_group: creatorAlone,
    can_mention_group: everyone,
    can_remove_members_group: nobody,
  });
  for (const queue of queues) expect(await queue.next()).toEqual({ type: "user_group", op: "add", group });
  expect(await foreign.all()).toEqual([]);
});

// spec 2.3: named group, direct_members, direct_subgroups
// spec 4.15: can_add_members_group, can_join_group, can_leave_group, can_manage_group, can_mention_group, can_remove_members_group
test("permissions are a group, or a list of people and groups in its simplest form", async () => {
  const realm = await newRealm();
  const groups = await systemGroups(realm);
  const [moderators = 0, owners = 0] = [groups["role:moderators"], groups["role:owners"]];
  const list = { direct_members: [realm.admin.id], direct_subgroups: [moderators, owners] };

  success(
    await realm.admin.call(createUserGroup, {
      ...someGroup,
      can_add_members_group: moderators,
      can_join_group: { direct_members: [], direct_subgroups: [moderators, moderators] },
      can_leave_group: { direct_members: [], direct_subgroups: [] },
      can_manage_group: list,
      can_mention_group: list,
      can_remove_members_group: { ...list, direct_members: [realm.admin.id, realm.admin.id] },
    }),
  );

  const shown = { direct_members: [realm.admin.id], direct_subgroups: [moderators, owners].toSorted((a, b) => a - b) };
  expect(await groupNamed(realm.admin, "players")).toMatchObject({
    can_add_members_group: moderators,
    can_join_group: moderators,
    can_leave_group: groups["role:nobody"],
    can_manage_group: shown,
    can_mention_group: shown,
    can_remove_members_group: shown,
  });
});

// spec 2.3: can_manage_group limits, can_mention_group limits
test("a permission refuses the groups it may not be set to", async () => {
  const realm = await newRealm();
  const groups = await systemGroups(realm);
  const create = (permission: string, value: unknown) =>
    realm.admin.request("POST", "/user_groups/create", {
      name: "players",
      description: "",
      members: "[]",
      [permission]: JSON.stringify(value),
    });

  for (const [permission, name] of [
    ["can_manage_group", "role:internet"],
    ["can_manage_group", "role:everyone"],
    ["can_mention_group", "role:internet"],
    ["can_mention_group", "role:owners"],
    ["can_join_group", "role:everyone"],
  ] as const) {
    const refusal = { code: "BAD_REQUEST", msg: `'${permission}' setting cannot be set to '${name}' group.` };
    expect(await create(permission, groups[name])).toMatchObject(refusal);
  }
  const widened = { direct_members: [realm.admin.id], direct_subgroups: [groups["role:everyone"]] };
  expect(await create("can_manage_group", widened)).toMatchObject({
    msg: "'can_manage_group' setting cannot be set to 'role:everyone' group.",
  });
  expect(await create("can_manage_group", 999_999_999)).toMatchObject({ msg: "Invalid user group" });
  expect(await create("can_manage_group", { direct_members: [1] })).toMatchObject({
    msg: 'can_manage_group["direct_subgroups"] field is missing',
  });
});

// spec 4.15: error invalid user ID
test("members and subgroups must exist, be active, and belong to this organization", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const gone = await realm.user("gone");
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", gone.id).execute();
  const foreignGroup = (await systemGroups(elsewhere))["role:members"] ?? 0;

  for (const id of [gone.id, elsewhere.admin.id, 999_999_999, -1]) {
    const answer = await realm.admin.call(createUserGroup, { ...someGroup, members: [realm.admin.id, id] });
    expect(answer).toMatchObject({ code: "BAD_REQUEST", msg: `Invalid user ID: ${id}` });
  }
  for (const id of [foreignGroup, 999_999_999]) {
    const answer = await realm.admin.call(createUserGroup, { ...someGroup, subgroups: [id] });
    expect(answer).toMatchObject({ code: "BAD_REQUEST", msg: `Invalid user group ID: ${id}` });
  }
  expect(await groupNamed(realm.admin, "players")).toBeUndefined();
});

test("a name is not empty, not reserved, not too long and not taken", async () => {
  const realm = await newRealm();
  const create = (name: string) =>
    realm.admin.request("POST", "/user_groups/create", { name, description: "", members: "[]" });
  expect(await create(" Players ")).toMatchObject({ result: "success" });

  expect(await groupNamed(realm.admin, "Players")).toBeDefined();
  for (const [name, msg] of [
    ["  ", "User group name can't be empty!"],
    ["role:x", "User group name cannot start with 'role:'."],
    ["@all", "User group name cannot start with '@'."],
    ["x".repeat(101), "name is too long (limit: 100 characters)"],
    ["players", "User group 'players' already exists."],
  ] as const)
    expect(await create(name)).toMatchObject({ code: "BAD_REQUEST", msg });
});

test("guests, bots and users without the permission cannot create groups", async () => {
  const realm = await newRealm();
  const [member, guest, bot] = [
    await realm.user("member"),
    await realm.user("guest", { role: 600 }),
    await realm.user("bot"),
  ];
  const { "role:administrators": administrators = 0 } = await systemGroups(realm);
  const { db } = realm.ctx;
  await db.updateTable("users").set({ is_bot: true, bot_type: 1 }).where("id", "=", bot.id).execute();

  expect(await guest.call(createUserGroup, someGroup)).toMatchObject({ msg: "Not allowed for guest users" });
  expect(await bot.call(createUserGroup, someGroup)).toMatchObject({
    msg: "This endpoint does not accept bot requests.",
  });
  await db.updateTable("realms").set({ can_create_groups_id: administrators }).where("id", "=", realm.id).execute();
  expect(await member.call(createUserGroup, someGroup)).toMatchObject({
    code: "BAD_REQUEST",
    msg: "Insufficient permission",
  });
  success(await realm.admin.call(createUserGroup, someGroup));
});

test("if many requests create the same group at once, on two nodes, one succeeds", async () => {
  const realm = await newRealm();

  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, node) => realm.admin.on(node).call(createUserGroup, someGroup)),
  );

  expect(answers.filter((answer) => answer.result === "success")).toHaveLength(1);
});
