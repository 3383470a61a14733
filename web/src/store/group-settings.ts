/** Who has a permission: a user group, or a list of people and groups for this setting alone. */
import "../text/chunks/controls.ts";
import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import type { UserGroup } from "@skein/api/user-groups.ts";
import { isIn } from "@skein/api/state/own-permissions.ts";
import { t } from "../text/t.ts";
import { ownId, part } from "./state.ts";

export interface Members {
  people: readonly number[];
  groups: readonly number[];
}

export const nobodyGroup = "role:nobody";

/** The system groups, each containing the later ones, with their names for people. */
const roleNames = {
  "role:internet": "role.internet",
  "role:everyone": "role.everyone",
  "role:members": "role.members",
  "role:fullmembers": "role.fullMembers",
  "role:moderators": "role.moderators",
  "role:administrators": "role.administrators",
  "role:owners": "role.owners",
  "role:nobody": "role.nobody",
} as const;

const systemNames = Object.keys(roleNames);

export const groups = (): readonly UserGroup[] => part("realm_user_groups").value ?? [];

export const findGroup = (id: number): UserGroup | undefined => groups().find((group) => group.id === id);

export const groupByName = (name: string): UserGroup | undefined => groups().find((group) => group.name === name);

export function groupName({ name, is_system_group }: Pick<UserGroup, "name" | "is_system_group">): string {
  if (!is_system_group) return name;
  return name in roleNames ? t(roleNames[name as keyof typeof roleNames]) : name;
}

/** The people and groups of a setting. Nobody is the empty list. */
export function membersOf(value: GroupSettingValue): Members {
  if (typeof value !== "number") return { people: value.direct_members, groups: value.direct_subgroups };
  return { people: [], groups: findGroup(value)?.name === nobodyGroup ? [] : [value] };
}

/** The shortest way to say it: a group if it is one. */
export function groupSettingOf({ people, groups: ids }: Members): GroupSettingValue {
  const [first, ...others] = ids;
  if (people.length === 0 && others.length === 0) {
    const only = first ?? groupByName(nobodyGroup)?.id;
    if (only !== undefined) return only;
  }
  return { direct_members: [...people], direct_subgroups: [...ids] };
}

const ascending = (a: number, b: number): number => a - b;

const sorted = (value: unknown): string => {
  if (value === null || typeof value !== "object" || !("direct_members" in value)) return JSON.stringify(value);
  const { direct_members, direct_subgroups } = value as Exclude<GroupSettingValue, number>; // checked above
  return JSON.stringify([direct_members.toSorted(ascending), direct_subgroups.toSorted(ascending)]);
};

export const isSameGroupSetting = (a: unknown, b: unknown): boolean => sorted(a) === sorted(b);

/** Everyone in a group, directly or through its subgroups. */
export function everyoneIn(groupId: number, seen = new Set<number>()): Set<number> {
  const group = findGroup(groupId);
  if (!group || seen.has(groupId)) return new Set();
  seen.add(groupId);
  return group.direct_subgroup_ids.reduce((all, id) => all.union(everyoneIn(id, seen)), new Set(group.members));
}

type Kind = "realm" | "stream" | "group";

const ruleOf = (kind: Kind, name: string) => part("server_supported_permission_settings").value?.[kind][name];

/** The groups that the server accepts for a permission; broad roles first, then groups by name. */
export function groupsFor(kind: Kind, name: string): readonly UserGroup[] {
  const rule = ruleOf(kind, name);
  const isAccepted = (group: UserGroup): boolean => {
    // Nobody is the absence of groups.
    if (group.deactivated || group.name === nobodyGroup) return false;
    if (!rule) return true;
    if (!group.is_system_group) return !rule.require_system_group;
    if (rule.allowed_system_groups.length > 0) return rule.allowed_system_groups.includes(group.name);
    if (group.name === "role:internet") return rule.allow_internet_group;
    if (group.name === "role:everyone") return rule.allow_everyone_group;
    return true;
  };
  const rank = (group: UserGroup) => (group.is_system_group ? systemNames.indexOf(group.name) : systemNames.length);
  return groups()
    .filter(isAccepted)
    .toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** Whether only a role can have the permission, not groups or single people. */
export const needsRole = (kind: Kind, name: string): boolean => ruleOf(kind, name)?.require_system_group ?? false;

export const mayBeNobody = (kind: Kind, name: string): boolean => ruleOf(kind, name)?.allow_nobody_group ?? true;

/** Whether the reader has the permission. */
export const includesReader = (value: GroupSettingValue | undefined): boolean =>
  value !== undefined && isIn({ user_id: ownId.value, realm_user_groups: [...groups()] }, value);
