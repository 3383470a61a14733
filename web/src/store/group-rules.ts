/** What the reader may do with a user group, who is in it, and where it is used. */
import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import type { UserGroup } from "@skein/api/user-groups.ts";
import { channelsById, type Channel } from "./channels.ts";
import { findGroup, groups, includesReader } from "./group-settings.ts";
import { isGuest } from "./roles.ts";
import { ownId, part } from "./state.ts";

type GroupPermission =
  | "can_add_members_group"
  | "can_join_group"
  | "can_leave_group"
  | "can_manage_group"
  | "can_mention_group"
  | "can_remove_members_group";

/** Guests cannot do anything with groups; nobody can with groups that follow from roles. */
const holds = (group: UserGroup, ...permissions: GroupPermission[]): boolean =>
  !isGuest() &&
  !group.is_system_group &&
  (includesReader(part("realm_can_manage_all_groups").value) ||
    permissions.some((permission) => includesReader(group[permission])));

export const mayCreateGroups = (): boolean => !isGuest() && includesReader(part("realm_can_create_groups").value);

export const mayManageGroup = (group: UserGroup): boolean => holds(group, "can_manage_group");

/** The organization's directory alone changes the group's name and members, and whether it is in use. */
export const isManagedElsewhere = ({ managed_by }: UserGroup): boolean => managed_by === "scim";

/** Whether anybody here may change who is in it. */
const hasOpenMembership = (group: UserGroup): boolean => !group.deactivated && !isManagedElsewhere(group);

export const mayAddToGroup = (group: UserGroup): boolean =>
  hasOpenMembership(group) && holds(group, "can_manage_group", "can_add_members_group");

export const mayRemoveFromGroup = (group: UserGroup): boolean =>
  hasOpenMembership(group) && holds(group, "can_manage_group", "can_remove_members_group");

export const isInGroup = (group: UserGroup): boolean => group.members.includes(ownId.value);

export const mayJoinGroup = (group: UserGroup): boolean =>
  hasOpenMembership(group) &&
  !isInGroup(group) &&
  holds(group, "can_manage_group", "can_add_members_group", "can_join_group");

export const mayLeaveGroup = (group: UserGroup): boolean =>
  hasOpenMembership(group) &&
  isInGroup(group) &&
  holds(group, "can_manage_group", "can_remove_members_group", "can_leave_group");

export interface GroupMember {
  userId: number;
  isDirect: boolean;
  /** The subgroups through which they are members. */
  through: readonly number[];
}

/** Everyone in a group: direct members first, then those of subgroups. */
export function membersOfGroup(group: UserGroup): readonly GroupMember[] {
  const members = new Map<number, { userId: number; isDirect: boolean; through: number[] }>();
  for (const userId of group.members) members.set(userId, { userId, isDirect: true, through: [] });
  for (const subgroupId of group.direct_subgroup_ids)
    for (const userId of allMembers(subgroupId)) {
      const known = members.get(userId);
      if (known) known.through.push(subgroupId);
      else members.set(userId, { userId, isDirect: false, through: [subgroupId] });
    }
  return [...members.values()];
}

function allMembers(groupId: number, seen = new Set<number>()): Set<number> {
  const members = new Set<number>();
  const group = findGroup(groupId);
  if (!group || seen.has(groupId)) return members;
  seen.add(groupId);
  for (const id of group.members) members.add(id);
  for (const subgroupId of group.direct_subgroup_ids) for (const id of allMembers(subgroupId, seen)) members.add(id);
  return members;
}

/** Counted once for each state of the groups: a role may have a hundred thousand members. */
const counts = new WeakMap<readonly UserGroup[], Map<number, number>>();

export function countMembers(group: UserGroup): number {
  if (group.direct_subgroup_ids.length === 0) return group.members.length;
  const all = groups();
  const known = counts.get(all) ?? new Map<number, number>();
  counts.set(all, known);
  const count = known.get(group.id) ?? allMembers(group.id).size;
  known.set(group.id, count);
  return count;
}

/** Groups that cannot become subgroups, since they contain this one, or are it, or are its subgroups already. */
export function mayBeSubgroup(of: UserGroup, candidate: UserGroup): boolean {
  if (candidate.deactivated || candidate.id === of.id || of.direct_subgroup_ids.includes(candidate.id)) return false;
  return !containsGroup(candidate, of.id);
}

const containsGroup = (group: UserGroup, id: number): boolean =>
  group.direct_subgroup_ids.some((subgroupId) => {
    const subgroup = findGroup(subgroupId);
    return subgroupId === id || (subgroup !== undefined && containsGroup(subgroup, id));
  });

export type GroupUse =
  | { kind: "organization"; setting: string }
  | { kind: "channel"; channel: Channel; setting: string }
  | { kind: "group"; group: UserGroup; setting: string }
  | { kind: "subgroup"; group: UserGroup };

const names = (value: unknown, groupId: number): boolean => {
  const setting = value as GroupSettingValue | undefined; // a permission, by its name
  if (setting === undefined || setting === null) return false;
  return typeof setting === "number" ? setting === groupId : (setting.direct_subgroups ?? []).includes(groupId);
};

/**
 * Where a group is used, as far as the reader can see. While there is any use, it cannot be deactivated. Archived channels,
 * deactivated groups and the group itself do not count.
 */
export function usesOfGroup(groupId: number): readonly GroupUse[] {
  const permissions = part("server_supported_permission_settings").value;
  const namesOf = (kind: "realm" | "stream" | "group"): string[] => Object.keys(permissions?.[kind] ?? {});
  const others = groups().filter(({ id, deactivated }) => id !== groupId && !deactivated);
  const channels = [...channelsById.value.values()].filter(({ is_archived }) => !is_archived);
  return [
    ...others
      .filter(({ direct_subgroup_ids }) => direct_subgroup_ids.includes(groupId))
      .map((group) => ({ kind: "subgroup" as const, group })),
    ...namesOf("realm")
      .filter((setting) => names(part(`realm_${setting}` as "realm_can_create_groups").value, groupId))
      .map((setting) => ({ kind: "organization" as const, setting })),
    ...channels.flatMap((channel) =>
      namesOf("stream")
        .filter((setting) => names(channel[setting as "can_send_message_group"], groupId))
        .map((setting) => ({ kind: "channel" as const, channel, setting })),
    ),
    ...others.flatMap((group) =>
      namesOf("group")
        .filter((setting) => names(group[setting as GroupPermission], groupId))
        .map((setting) => ({ kind: "group" as const, group, setting })),
    ),
  ];
}
