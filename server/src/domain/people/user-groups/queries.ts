/** User groups as clients see them. */
import type { UserGroup } from "@skein/api/user-groups.ts";
import { sql, type Selectable } from "kysely";
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { UserGroupsTable } from "../../../platform/db/schema.ts";
import { groupSettingValues } from "../../organization/permissions/group-settings.ts";
import { directSystemGroups, systemGroups } from "../../organization/permissions/system-groups.ts";
import {
  userGroupPermissionNames,
  type UserGroupPermission,
} from "../../organization/permissions/user-group-permissions.ts";

export type GroupRow = Selectable<UserGroupsTable>;

/** All named groups, ordered by id. */
export async function listUserGroups(
  db: Db,
  realm: Realm,
  { includeDeactivated }: { includeDeactivated: boolean },
): Promise<UserGroup[]> {
  const groups = await db
    .selectFrom("user_groups")
    .selectAll()
    .where("realm_id", "=", realm.id)
    .where("name", "is not", null)
    .$if(!includeDeactivated, (query) => query.where("deactivated", "=", false))
    .orderBy("id")
    .execute();
  const byRank = await membersByRank(db, realm);
  const ordinary = await showUserGroups(
    db,
    groups.filter((group) => !group.is_system),
  );
  const shown = new Map(ordinary.map((group) => [group.id, group]));
  const values = await settingValues(db, groups);
  return groups.map(
    (group) =>
      shown.get(group.id) ??
      toUserGroup(group, values, byRank.get(group.max_rank ?? 0) ?? [], nextNarrower(groups, group)),
  );
}

/** For groups created by users; only listUserGroups shows system groups. */
export async function showUserGroups(db: Db, groups: readonly GroupRow[]): Promise<UserGroup[]> {
  if (groups.length === 0) return [];
  const ids = groups.map((group) => group.id);
  const members = await membersByGroup(db, ids);
  const subgroups = await subgroupsByGroup(db, ids);
  const values = await settingValues(db, groups);
  return groups.map((group) => toUserGroup(group, values, members.get(group.id) ?? [], subgroups.get(group.id) ?? []));
}

type SettingValues = Awaited<ReturnType<typeof groupSettingValues>>;

const settingValues = (db: Db, groups: readonly GroupRow[]): Promise<SettingValues> =>
  groupSettingValues(
    db,
    groups.flatMap((group) => userGroupPermissionNames.map((permission) => settingOf(group, permission))),
  );

function toUserGroup(
  group: GroupRow,
  values: SettingValues,
  members: number[],
  direct_subgroup_ids: number[],
): UserGroup {
  return {
    id: group.id,
    name: group.name ?? "",
    description: group.description,
    creator_id: group.creator_id,
    date_created: group.date_created && Math.floor(group.date_created.getTime() / 1000),
    members,
    direct_subgroup_ids,
    is_system_group: group.is_system,
    deactivated: group.deactivated,
    managed_by: group.managed_by === "scim" ? "scim" : null,
    ...settingFields((permission) => {
      const id = settingOf(group, permission);
      return values.get(id) ?? id;
    }),
  };
}

/** The id of the group that is a permission's value. */
export function settingOf(group: GroupRow, permission: UserGroupPermission): number {
  const id = group[`${permission}_id`];
  if (id === null) throw new Error(`named group ${group.id} has no ${permission}`);
  return id;
}

const settingFields = (value: (permission: UserGroupPermission) => UserGroup[UserGroupPermission]) =>
  // One entry for each permission.
  Object.fromEntries(userGroupPermissionNames.map((permission) => [permission, value(permission)])) as Pick<
    UserGroup,
    UserGroupPermission
  >;

/** Each system group has the next narrower one as its subgroup; `role:nobody` is never one. */
function nextNarrower(groups: GroupRow[], { max_rank }: GroupRow): number[] {
  const narrower = groups
    .filter((group) => group.max_rank !== null && group.max_rank < (max_rank ?? 0))
    .filter((group) => group.max_rank !== systemGroups["role:nobody"].max_rank)
    .toSorted((a, b) => (b.max_rank ?? 0) - (a.max_rank ?? 0));
  return narrower.slice(0, 1).map((group) => group.id);
}

async function membersByGroup(db: Db, groupIds: readonly number[]): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ group_id: number; ids: number[] }>`
    select m.group_id, array_agg(m.user_id order by m.user_id) as ids
    from user_group_members m join users u on u.id = m.user_id and u.is_active
    where m.group_id = any(${groupIds}::bigint[]) group by 1`.execute(db);
  return new Map(rows.map((row) => [row.group_id, row.ids]));
}

async function subgroupsByGroup(db: Db, groupIds: readonly number[]): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ group_id: number; ids: number[] }>`
    select group_id, array_agg(subgroup_id order by subgroup_id) as ids
    from user_group_subgroups where group_id = any(${groupIds}::bigint[]) group by 1`.execute(db);
  return new Map(rows.map((row) => [row.group_id, row.ids]));
}

/** The direct members of system groups by max_rank, which are derived from roles and never stored. */
async function membersByRank(db: Db, realm: Realm): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ role: number; rank: number; ids: number[] }>`
    select role, rank_of(role, date_joined, ${realm.waiting_period_threshold}) as rank, array_agg(id order by id) as ids
    from users where realm_id = ${realm.id} and is_active and not is_system_bot group by 1, 2`.execute(db);
  const members = new Map<number, number[]>();
  for (const { ids, ...standing } of rows) {
    for (const group of directSystemGroups(standing)) members.set(group, [...(members.get(group) ?? []), ...ids]);
  }
  return new Map([...members].map(([group, ids]) => [group, ids.toSorted((a, b) => a - b)]));
}
