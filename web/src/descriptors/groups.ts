/** The settings of a user group. */
import "../text/chunks/members.ts";
import type { Setting, SettingGroup } from "./setting.ts";

const permission = (name: string, label: Setting["label"], hint?: Setting["hint"]): Setting => ({
  scope: "group",
  name,
  label,
  ...(hint === undefined ? {} : { hint }),
  control: { kind: "permission" },
});

export const groupTexts: SettingGroup = {
  settings: [
    {
      scope: "group",
      name: "name",
      label: "groups.name",
      control: { kind: "text", maxLength: 100, isRequired: true },
    },
    {
      scope: "group",
      name: "description",
      label: "groups.description",
      control: { kind: "text", maxLength: 1024, rows: 2 },
    },
  ],
};

export const groupPermissions: SettingGroup = {
  label: "groups.permissions",
  settings: [
    permission("can_manage_group", "groups.canManage", "groups.canManageHint"),
    permission("can_mention_group", "groups.canMention"),
    permission("can_add_members_group", "groups.canAdd"),
    permission("can_remove_members_group", "groups.canRemove"),
    permission("can_join_group", "groups.canJoin"),
    permission("can_leave_group", "groups.canLeave"),
  ],
};

/** In the order of a group's page. */
export const groupSettingGroups: readonly SettingGroup[] = [groupTexts, groupPermissions];
