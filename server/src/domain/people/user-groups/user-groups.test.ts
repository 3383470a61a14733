import { expect, test } from "vitest";
import { newRealm } from "../../../../test/realm.ts";
import { systemGroupNames } from "../../organization/permissions/system-groups.ts";

test("system groups are nested and list the users of each role", async () => {
  const realm = await newRealm();
  const moderator = await realm.user("moderator", { role: 300 });
  const member = await realm.user("member");
  const guest = await realm.user("guest", { role: 600 });

  const { state } = await guest.register([], ["realm_user_groups"]);

  const groups = state.realm_user_groups ?? [];
  const named = (name: string) => groups.find((group) => group.name === name);
  expect(groups.map((group) => group.name).toSorted()).toEqual(systemGroupNames.toSorted());
  const chain = [
    "role:owners",
    "role:administrators",
    "role:moderators",
    "role:fullmembers",
    "role:members",
    "role:everyone",
    "role:internet",
  ];
  for (const [index, name] of chain.entries()) {
    const narrower = named(chain[index - 1] ?? "");
    expect(named(name)?.direct_subgroup_ids).toEqual(narrower ? [narrower.id] : []);
  }
  expect(Object.fromEntries(groups.map((group) => [group.name, group.members]))).toEqual({
    "role:nobody": [],
    "role:owners": [realm.admin.id],
    "role:administrators": [],
    "role:moderators": [moderator.id],
    "role:fullmembers": [member.id],
    "role:members": [member.id],
    "role:everyone": [guest.id],
    "role:internet": [],
  });
  expect(named("role:nobody")).toMatchObject({
    is_system_group: true,
    creator_id: null,
    date_created: null,
    can_manage_group: named("role:nobody")?.id,
    direct_subgroup_ids: [],
  });
});

test("a member still in the waiting period is not a full member", async () => {
  const realm = await newRealm();
  await realm.ctx.db.updateTable("realms").set({ waiting_period_threshold: 3 }).where("id", "=", realm.id).execute();
  const [fresh, full] = [await realm.user("fresh"), await realm.user("full")];
  const fourDaysAgo = new Date(Date.now() - 4 * 86_400_000);
  await realm.ctx.db.updateTable("users").set({ date_joined: fourDaysAgo }).where("id", "=", full.id).execute();

  const { state } = await fresh.register([], ["realm_user_groups"]);

  const members = Object.fromEntries(state.realm_user_groups?.map((group) => [group.name, group.members]) ?? []);
  expect(members).toMatchObject({ "role:members": [fresh.id, full.id], "role:fullmembers": [full.id] });
});
