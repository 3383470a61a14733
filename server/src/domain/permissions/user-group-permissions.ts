/**
 * Who may do what to a user group: the group settings of a user group, said once. The column of `user_groups` is the
 * name with `_id` after it.
 */
import type { SettingRule } from "./group-settings.ts";
import type { SystemGroupName } from "./system-groups.ts";

export interface UserGroupPermissionRule extends SettingRule {
  /** What a new group has: a system group, or whoever makes the group. */
  default: SystemGroupName | "group_creator";
}

export const userGroupPermissions = {
  can_add_members_group: { default: "group_creator", nobody: true, everyone: false },
  can_join_group: { default: "role:nobody", nobody: true, everyone: false },
  can_leave_group: { default: "role:everyone", nobody: true, everyone: true },
  can_manage_group: { default: "group_creator", nobody: true, everyone: false },
  can_mention_group: { default: "role:everyone", nobody: true, everyone: true, never: ["role:owners"] },
  can_remove_members_group: { default: "role:nobody", nobody: true, everyone: false },
} satisfies Record<string, UserGroupPermissionRule>;

export type UserGroupPermission = keyof typeof userGroupPermissions;
export type UserGroupPermissionColumn = `${UserGroupPermission}_id`;

// Object.keys knows only strings; these are the keys of the table above.
export const userGroupPermissionNames = Object.keys(userGroupPermissions) as UserGroupPermission[];

export const userGroupPermissionRule = (name: UserGroupPermission): UserGroupPermissionRule =>
  userGroupPermissions[name];

/** Nobody can do anything to a system group. */
export const systemGroupPermission: SystemGroupName = "role:nobody";
