/**
 * The group settings of a user group, which decide who may do what to it. The column of `user_groups` is the name with
 * the suffix `_id`.
 */
import type { SettingRule } from "./group-settings.ts";
import type { SystemGroupName } from "./system-groups.ts";

export interface UserGroupPermissionRule extends SettingRule {
  /** The value for a new group: a system group, or the group's creator. */
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

/** Every permission on a system group is set to nobody. */
export const systemGroupPermission: SystemGroupName = "role:nobody";
