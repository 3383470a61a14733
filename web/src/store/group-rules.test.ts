import type { UserGroup } from "@skein/api/user-groups.ts";
import { expect, test } from "vitest";
import {
  countMembers,
  mayAddToGroup,
  mayBeSubgroup,
  mayJoinGroup,
  mayLeaveGroup,
  mayManageGroup,
  mayRemoveFromGroup,
  membersOfGroup,
  usesOfGroup,
} from "./group-rules.ts";
import { replaceState } from "./state.ts";

const nobody = 90;
const permissions = {
  can_add_members_group: nobody,
  can_join_group: nobody,
  can_leave_group: nobody,
  can_manage_group: nobody,
  can_mention_group: nobody,
  can_remove_members_group: nobody,
};

const group = (id: number, fields: Partial<UserGroup> = {}): UserGroup => ({
  id,
  name: `group ${id}`,
  description: "",
  creator_id: null,
  date_created: null,
  members: [],
  direct_subgroup_ids: [],
  is_system_group: false,
  deactivated: false,
  managed_by: null,
  ...permissions,
  ...fields,
});

const reader = 1;
const alone = { direct_members: [reader], direct_subgroups: [] };

function know(groups: UserGroup[], state: object = {}): void {
  replaceState({
    user_id: reader,
    realm_users: [],
    realm_user_groups: [...groups, group(nobody, { name: "role:nobody", is_system_group: true })],
    realm_can_manage_all_groups: nobody,
    ...state,
  });
}

test("members of subgroups are members through them, at any depth", () => {
  const outer = group(10, { members: [5, 6], direct_subgroup_ids: [11, 12] });
  know([
    outer,
    group(11, { members: [6, 7], direct_subgroup_ids: [13] }),
    group(12, { members: [7] }),
    group(13, { members: [8] }),
  ]);

  expect(membersOfGroup(outer)).toEqual([
    { userId: 5, isDirect: true, through: [] },
    { userId: 6, isDirect: true, through: [11] },
    { userId: 7, isDirect: false, through: [11, 12] },
    { userId: 8, isDirect: false, through: [11] },
  ]);
  expect(countMembers(outer)).toBe(4);
});

test("a group that contains this one cannot become its subgroup", () => {
  const inner = group(12);
  const groups = [group(10, { direct_subgroup_ids: [11] }), group(11, { direct_subgroup_ids: [12] }), inner];
  know([...groups, group(13), group(14, { deactivated: true })]);

  const possible = [...groups, group(13), group(14, { deactivated: true })].filter((each) =>
    mayBeSubgroup(inner, each),
  );
  expect(possible.map(({ id }) => id)).toEqual([13]);
});

test("each permission allows its own thing; managing allows all", () => {
  know([]);
  expect(mayJoinGroup(group(10))).toBe(false);
  expect(mayJoinGroup(group(10, { can_join_group: alone }))).toBe(true);
  expect(mayAddToGroup(group(10, { can_join_group: alone }))).toBe(false);
  expect(mayLeaveGroup(group(10, { can_leave_group: alone, members: [reader] }))).toBe(true);
  expect(mayLeaveGroup(group(10, { can_leave_group: alone }))).toBe(false);
  const managed = group(10, { can_manage_group: alone });
  expect([mayManageGroup(managed), mayAddToGroup(managed), mayJoinGroup(managed)]).toEqual([true, true, true]);
  expect(mayManageGroup({ ...managed, is_system_group: true })).toBe(false);
  expect(mayAddToGroup({ ...managed, deactivated: true })).toBe(false);
});

test("nobody here changes the members of a group that the organization's directory manages", () => {
  know([], { realm_can_manage_all_groups: alone });
  const theirs = group(10, { managed_by: "scim", can_join_group: alone, can_leave_group: alone });

  expect([mayManageGroup(theirs), mayAddToGroup(theirs), mayRemoveFromGroup(theirs)]).toEqual([true, false, false]);
  expect([mayJoinGroup(theirs), mayLeaveGroup({ ...theirs, members: [reader] })]).toEqual([false, false]);
  expect(mayRemoveFromGroup({ ...theirs, managed_by: null })).toBe(true);
});

test("whoever manages all groups manages each", () => {
  know([], { realm_can_manage_all_groups: alone });

  expect(mayManageGroup(group(10))).toBe(true);
});

test("a group is found wherever it is used, alone or in a list, but not where that does not count", () => {
  const listed = { direct_members: [], direct_subgroups: [10] };
  know(
    [
      group(10, { can_manage_group: 10 }),
      group(11, { direct_subgroup_ids: [10] }),
      group(12, { can_join_group: listed }),
      group(13, { can_join_group: 10, deactivated: true }),
    ],
    {
      realm_can_create_groups: listed,
      never_subscribed: [
        { stream_id: 1, name: "a", is_archived: false, can_send_message_group: 10 },
        { stream_id: 2, name: "b", is_archived: true, can_send_message_group: 10 },
      ],
      server_supported_permission_settings: {
        realm: { can_create_groups: {} },
        stream: { can_send_message_group: {} },
        group: { can_join_group: {}, can_manage_group: {} },
      },
    },
  );

  const uses = usesOfGroup(10).map((use) => {
    const where = use.kind === "channel" ? use.channel.name : use.kind === "organization" ? "" : use.group.id;
    return [use.kind, where, use.kind === "subgroup" ? "" : use.setting];
  });
  expect(uses).toEqual([
    ["subgroup", 11, ""],
    ["organization", "", "can_create_groups"],
    ["channel", "a", "can_send_message_group"],
    ["group", 12, "can_join_group"],
  ]);
});
