import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import { sql } from "kysely";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { storeGroupSetting, systemGroupIds } from "../permissions/group-settings.ts";
import {
  userGroupPermissionNames,
  userGroupPermissionRule,
  type UserGroupPermission,
  type UserGroupPermissionColumn,
} from "../permissions/user-group-permissions.ts";
import { accessActiveUsers, accessGroupCreation, accessPotentialSubgroups } from "./access.ts";
import { emitGroupEvent } from "./event-shapes.ts";
import { checkGroupName, nameIsTaken } from "./name.ts";
import { showUserGroups } from "./queries.ts";

export interface NewGroup {
  name: string;
  description: string;
  members: readonly number[];
  subgroups: readonly number[];
  permissions: Partial<Record<UserGroupPermission, GroupSettingValue | undefined>>;
}

/** Gives back the new group's id. Nothing can hold it yet, so its subgroups cannot make a circle. */
export async function createGroup(tx: Tx, creator: User, wanted: NewGroup): Promise<number> {
  await accessGroupCreation(tx, creator);
  const name = checkGroupName(wanted.name);
  const members = await accessActiveUsers(tx, creator, wanted.members);
  const subgroups = await accessPotentialSubgroups(tx, creator, wanted.subgroups);
  const permissions = await storePermissions(tx, creator, wanted.permissions);
  const group = await tx
    .insertInto("user_groups")
    .values({
      realm_id: creator.realm_id,
      name,
      description: wanted.description,
      creator_id: creator.id,
      date_created: sql<Date>`now()`,
      ...permissions,
    })
    // Of two who want the same name at once, one finds it taken.
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

/** The groups that stand for what was chosen, and for the defaults of what was not. */
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
