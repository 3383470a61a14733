import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import { sql } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { storeGroupSetting, systemGroupIds } from "../../organization/permissions/group-settings.ts";
import {
  userGroupPermissionNames,
  userGroupPermissionRule,
  type UserGroupPermission,
  type UserGroupPermissionColumn,
} from "../../organization/permissions/user-group-permissions.ts";
import { accessActiveUsers, accessGroupCreation, accessPotentialSubgroups } from "../../people/user-groups/access.ts";
import { emitGroupEvent } from "../../people/user-groups/event-shapes.ts";
import { checkGroupName, nameIsTaken } from "../../people/user-groups/name.ts";
import { showUserGroups } from "../../people/user-groups/queries.ts";

export interface NewGroup {
  name: string;
  description: string;
  members: readonly number[];
  subgroups: readonly number[];
  permissions: Partial<Record<UserGroupPermission, GroupSettingValue | undefined>>;
}

/** Returns the new group's ID. No group contains it yet, so its subgroups cannot form a cycle. */
export async function createGroup(tx: Tx, creator: User, newGroup: NewGroup): Promise<number> {
  await accessGroupCreation(tx, creator);
  const name = checkGroupName(newGroup.name);
  const members = await accessActiveUsers(tx, creator, newGroup.members);
  const subgroups = await accessPotentialSubgroups(tx, creator, newGroup.subgroups);
  const permissions = await storePermissions(tx, creator, newGroup.permissions);
  const group = await tx
    .insertInto("user_groups")
    .values({
      realm_id: creator.realm_id,
      name,
      description: newGroup.description,
      creator_id: creator.id,
      date_created: sql<Date>`now()`,
      ...permissions,
    })
    // If two requests use the same name at once, one fails.
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!group) throw nameIsTaken(name);
  await sql`insert into user_group_members (group_id, user_id, realm_id)
    select ${group.id}, member, ${creator.realm_id} from unnest(${members}::bigint[]) as member`.execute(tx);
  await sql`insert into user_group_subgroups (group_id, subgroup_id, realm_id)
    select ${group.id}, subgroup, ${creator.realm_id} from unnest(${subgroups}::bigint[]) as subgroup`.execute(tx);
  const [shown] = await showUserGroups(tx, [group]);
  emitGroupEvent(tx, group, { op: "add", group: shown });
  return group.id;
}

/** The group IDs of the given permissions, and of the defaults for the others. */
async function storePermissions(
  tx: Tx,
  creator: User,
  chosen: NewGroup["permissions"],
): Promise<Record<UserGroupPermissionColumn, number>> {
  const systemGroups = await systemGroupIds(tx, creator.realm_id);
  const creatorAlone = { direct_members: [creator.id], direct_subgroups: [] };
  const groups: [string, number | undefined][] = [];
  for (const name of userGroupPermissionNames) {
    const rule = userGroupPermissionRule(name);
    const value = chosen[name] ?? (rule.default === "group_creator" ? creatorAlone : undefined);
    const id =
      value === undefined
        ? systemGroups.get(rule.default)
        : await storeGroupSetting(tx, creator.realm_id, name, value, rule);
    groups.push([`${name}_id`, id]);
  }
  // One entry for each name, and system groups always exist.
  return Object.fromEntries(groups) as Record<UserGroupPermissionColumn, number>;
}
