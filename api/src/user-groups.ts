import { z } from "zod";
import { groupSettingValue } from "./group-setting.ts";

export const maxUserGroupNameLength = 100;

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
    members: z.array(z.int()).describe("Active users who are in the group themselves, by ID."),
    direct_subgroup_ids: z.array(z.int()).describe("Groups whose members are in this one too."),
    is_system_group: z.boolean().describe("Whether membership follows from roles, so that nobody can change it."),
    deactivated: z.boolean(),
    ...groupPermissions,
  })
  .meta({ id: "UserGroup" });
export type UserGroup = z.output<typeof userGroup>;

/** The field of the registration answer under `realm_user_groups`. */
export const userGroupState = { realm_user_groups: z.array(userGroup).describe("All user groups, by ID.") };

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
    .strictObject({ name: z.string(), description: z.string(), deactivated: z.boolean(), ...groupPermissions })
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
