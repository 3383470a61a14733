/** User groups: users who can be mentioned or given a permission together. */
import { z } from "zod";
import { endpoint, json, list, manyIds, textUpTo } from "./endpoint.ts";
import { groupSettingUpdate, groupSettingValue } from "./group-setting.ts";

export const maxUserGroupNameLength = 100;
export const maxUserGroupDescriptionLength = 1024;

/** Descriptions of a group's permissions. */
const permissionTexts = {
  can_add_members_group: "add members to the group.",
  can_join_group: "join the group themselves.",
  can_leave_group: "leave the group themselves.",
  can_manage_group: "manage the group: everything that can be done to it.",
  can_mention_group: "mention the group.",
  can_remove_members_group: "take members out of the group.",
};

const groupPermissions = {
  can_add_members_group: groupSettingValue,
  can_join_group: groupSettingValue,
  can_leave_group: groupSettingValue,
  can_manage_group: groupSettingValue,
  can_mention_group: groupSettingValue,
  can_remove_members_group: groupSettingValue,
};

export const userGroup = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    creator_id: z.int().nullable(),
    date_created: z.int().nullable(),
    members: z.array(z.int()).describe("Active direct members, by ID."),
    direct_subgroup_ids: z.array(z.int()).describe("Groups whose members are in this one too."),
    is_system_group: z.boolean().describe("Whether membership follows from roles, so that nobody can change it."),
    deactivated: z.boolean(),
    managed_by: z
      .enum(["scim"])
      .nullable()
      .describe("`scim`: the organization's directory alone changes the group's name and members."),
    ...groupPermissions,
  })
  .meta({ id: "UserGroup" });
export type UserGroup = z.output<typeof userGroup>;

/** The field of the registration response under `realm_user_groups`. */
export const userGroupState = { realm_user_groups: z.array(userGroup).describe("All user groups, by ID.") };

const area = "User groups";
const userGroupId = json(z.int()).describe("The group.");
const userIds = json(list(z.int(), manyIds));
const groupIds = json(list(z.int(), manyIds));
const directMembersOnly = json(z.boolean())
  .default(false)
  .describe("Whether only direct members count, not those of subgroups.");

export const getUserGroups = endpoint({
  operation: "get-user-groups",
  method: "GET",
  path: "/user_groups",
  auth: "user",
  scope: "users:read",
  area,
  summary: "Get user groups",
  description: "Every user group of the organization. Not for guests and bots.",
  params: {
    include_deactivated_groups: json(z.boolean()).default(false).describe("Whether deactivated groups are listed too."),
  },
  returns: { user_groups: z.array(userGroup).describe("By ID.") },
});

const initial = (name: keyof typeof permissionTexts) =>
  json(groupSettingValue).optional().describe(`Who may ${permissionTexts[name]}`);

export const createUserGroup = endpoint({
  operation: "create-user-group",
  method: "POST",
  path: "/user_groups/create",
  auth: "user",
  scope: "users:manage",
  area,
  summary: "Create a user group",
  description: "Create a user group. Its creator may add members and manage it, unless the parameters state otherwise.",
  params: {
    name: textUpTo(maxUserGroupNameLength).describe("The group's name, which no other group has."),
    description: textUpTo(maxUserGroupDescriptionLength).describe("What the group is for."),
    members: userIds.describe("IDs of the first members."),
    subgroups: groupIds.optional().describe("IDs of groups whose members are to be in this one too."),
    can_add_members_group: initial("can_add_members_group"),
    can_join_group: initial("can_join_group"),
    can_leave_group: initial("can_leave_group"),
    can_manage_group: initial("can_manage_group"),
    can_mention_group: initial("can_mention_group"),
    can_remove_members_group: initial("can_remove_members_group"),
  },
  returns: { group_id: z.int().describe("The new group.") },
});

const changed = (name: keyof typeof permissionTexts) =>
  json(groupSettingUpdate).optional().describe(`Who may ${permissionTexts[name]}`);

export const updateUserGroup = endpoint({
  operation: "update-user-group",
  method: "PATCH",
  path: "/user_groups/{user_group_id}",
  auth: "user",
  scope: "users:manage",
  area,
  summary: "Update a user group",
  description: "Change a group's name, description or permissions, or reactivate a deactivated group.",
  params: {
    user_group_id: userGroupId,
    name: textUpTo(maxUserGroupNameLength).optional().describe("The new name."),
    description: textUpTo(maxUserGroupDescriptionLength).optional().describe("The new description."),
    deactivated: json(z.boolean()).optional().describe("False reactivates a deactivated group; true changes nothing."),
    managed_by: z
      .enum(["scim", ""])
      .optional()
      .describe(
        "`scim` hands the group over to the organization's directory, which alone changes its name and members from then on; an " +
          "empty value takes it back. For owners.",
      ),
    can_add_members_group: changed("can_add_members_group"),
    can_join_group: changed("can_join_group"),
    can_leave_group: changed("can_leave_group"),
    can_manage_group: changed("can_manage_group"),
    can_mention_group: changed("can_mention_group"),
    can_remove_members_group: changed("can_remove_members_group"),
  },
  returns: {},
});

export const deactivateUserGroup = endpoint({
  operation: "deactivate-user-group",
  method: "POST",
  path: "/user_groups/{user_group_id}/deactivate",
  auth: "user",
  scope: "users:manage",
  area,
  summary: "Deactivate a user group",
  description:
    "Deactivate a group. It keeps its members and can be reactivated. Fails while it is a subgroup or the value of " +
    "a setting; `objections` lists where.",
  params: { user_group_id: userGroupId },
  returns: {},
});

export const updateUserGroupMembers = endpoint({
  operation: "update-user-group-members",
  method: "POST",
  path: "/user_groups/{user_group_id}/members",
  auth: "user",
  scope: "users:manage",
  area,
  summary: "Update user group members",
  description: "Add users and subgroups to a group, or remove them, in one step.",
  params: {
    user_group_id: userGroupId,
    add: userIds.default([]).describe("IDs of users to add."),
    delete: userIds.default([]).describe("IDs of users to remove."),
    add_subgroups: groupIds.default([]).describe("IDs of groups to add as subgroups."),
    delete_subgroups: groupIds.default([]).describe("IDs of subgroups to remove."),
  },
  returns: {},
});

export const getUserGroupMembers = endpoint({
  operation: "get-user-group-members",
  method: "GET",
  path: "/user_groups/{user_group_id}/members",
  auth: "user",
  scope: "users:read",
  area,
  summary: "Get user group members",
  description: "Who is in a group.",
  params: { user_group_id: userGroupId, direct_member_only: directMembersOnly },
  returns: { members: z.array(z.int()).describe("IDs of active users, ascending.") },
});

export const getIsUserGroupMember = endpoint({
  operation: "get-is-user-group-member",
  method: "GET",
  path: "/user_groups/{user_group_id}/members/{user_id}",
  auth: "user",
  scope: "users:read",
  area,
  summary: "Get user group membership",
  description: "Whether somebody is in a group.",
  params: {
    user_group_id: userGroupId,
    user_id: json(z.int()).describe("The user."),
    direct_member_only: directMembersOnly,
  },
  returns: { is_user_group_member: z.boolean().describe("Never true for a deactivated user.") },
});

export const updateUserGroupSubgroups = endpoint({
  operation: "update-user-group-subgroups",
  method: "POST",
  path: "/user_groups/{user_group_id}/subgroups",
  auth: "user",
  scope: "users:manage",
  area,
  summary: "Update subgroups of a user group",
  description: "Add subgroups to a group, or remove them, in one step.",
  params: {
    user_group_id: userGroupId,
    add: groupIds.default([]).describe("IDs of groups to add as subgroups."),
    delete: groupIds.default([]).describe("IDs of subgroups to remove."),
  },
  returns: {},
});

export const getUserGroupSubgroups = endpoint({
  operation: "get-user-group-subgroups",
  method: "GET",
  path: "/user_groups/{user_group_id}/subgroups",
  auth: "user",
  scope: "users:read",
  area,
  summary: "Get subgroups of a user group",
  description: "The groups whose members are in this one too.",
  params: {
    user_group_id: userGroupId,
    direct_subgroup_only: json(z.boolean()).default(false).describe("Whether to omit subgroups of subgroups."),
  },
  returns: { subgroups: z.array(z.int()).describe("IDs of groups, ascending.") },
});

export const userGroupAddEvent = z.strictObject({
  type: z.literal("user_group"),
  op: z.literal("add"),
  group: userGroup,
});

export const userGroupUpdateEvent = z.strictObject({
  type: z.literal("user_group"),
  op: z.literal("update"),
  group_id: z.int(),
  data: z
    .strictObject({
      name: z.string(),
      description: z.string(),
      deactivated: z.boolean(),
      managed_by: userGroup.shape.managed_by,
      ...groupPermissions,
    })
    .partial(),
});

export const userGroupMembersEvent = z.strictObject({
  type: z.literal("user_group"),
  op: z.enum(["add_members", "remove_members"]),
  group_id: z.int(),
  user_ids: z.array(z.int()),
});

export const userGroupSubgroupsEvent = z.strictObject({
  type: z.literal("user_group"),
  op: z.enum(["add_subgroups", "remove_subgroups"]),
  group_id: z.int(),
  direct_subgroup_ids: z.array(z.int()),
});

export const userGroupRemoveEvent = z.strictObject({
  type: z.literal("user_group"),
  op: z.literal("remove"),
  group_id: z.int(),
});

export const userGroupEvents = [
  userGroupAddEvent,
  userGroupUpdateEvent,
  userGroupMembersEvent,
  userGroupSubgroupsEvent,
  userGroupRemoveEvent,
] as const;

export const endpoints = [
  getUserGroups,
  createUserGroup,
  updateUserGroup,
  deactivateUserGroup,
  updateUserGroupMembers,
  getUserGroupMembers,
  getIsUserGroupMember,
  updateUserGroupSubgroups,
  getUserGroupSubgroups,
];
