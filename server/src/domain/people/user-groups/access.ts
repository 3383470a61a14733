/**
 * Permissions for user groups. System groups never change. Users who manage all groups, or this one, may do everything to
 * it; each of the other permissions allows one thing. Guests and bots have no access to groups, except that they may
 * deactivate a group they are listed to manage.
 */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError, insufficientPermission, notForBots } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { holdsRealmPermission } from "../../organization/permissions/held-permissions.ts";
import {
  userGroupPermissionRule,
  type UserGroupPermission,
} from "../../organization/permissions/user-group-permissions.ts";
import type { GroupRow } from "./queries.ts";

const invalidGroup = () => new ApiError("Invalid user group");
export const groupIsDeactivated = () => new ApiError("User group is deactivated.");

/** Throws if the organization's directory manages the group's name and members. */
export function refuseManaged(group: GroupRow): void {
  if (group.managed_by !== null)
    throw new ApiError("This group is managed by your organization's directory. Change it there.", {
      code: "MANAGED_EXTERNALLY",
    });
}

export function refuseGuestsAndBots(user: User): void {
  if (user.role === roles.guest) throw new ApiError("Not allowed for guest users");
  if (user.is_bot) throw notForBots();
}

export async function accessGroupCreation(db: Db, user: User): Promise<void> {
  refuseGuestsAndBots(user);
  if (!(await holdsRealmPermission(db, user, "can_create_groups"))) throw insufficientPermission();
}

export async function accessGroup(db: Db, user: User, id: number): Promise<GroupRow> {
  refuseGuestsAndBots(user);
  const group = await groups(db, user, id).executeTakeFirst();
  if (!group) throw invalidGroup();
  return group;
}

/** The group, locked until the transaction ends, for a user who holds one of these permissions or manages it. */
export async function accessGroupForUpdate(
  tx: Tx,
  user: User,
  id: number,
  permissions: readonly UserGroupPermission[],
): Promise<GroupRow> {
  const group = await groups(tx, user, id).forUpdate().executeTakeFirst();
  if (!group) throw invalidGroup();
  if (group.is_system) throw insufficientPermission();
  if (await holdsRealmPermission(tx, user, "can_manage_all_groups")) return group;
  const sufficient: UserGroupPermission[] = ["can_manage_group", ...permissions];
  const open = sufficient.filter((name) => user.role !== roles.guest || userGroupPermissionRule(name).everyone);
  const { rows } = await sql<{ may: boolean }>`
    select coalesce(bool_or(in_group(${user.id}, ${user.rank}, id)), false) as may
    from unnest(${open.map((name) => group[`${name}_id`])}::bigint[]) as id`.execute(tx);
  if (!rows[0]?.may) throw insufficientPermission();
  return group;
}

const groups = (db: Db, user: User, id: number) =>
  db
    .selectFrom("user_groups")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", id)
    .where("name", "is not", null);

/** The ids, without duplicates, of active users of the organization. */
export async function accessActiveUsers(db: Db, user: User, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from users
    where realm_id = ${user.realm_id} and id = any(${ids}::bigint[]) and is_active and not is_system_bot
    order by id`.execute(db);
  const found = new Set(rows.map((row) => row.id));
  const unknown = ids.find((id) => !found.has(id));
  if (unknown !== undefined) throw new ApiError(`Invalid user ID: ${unknown}`);
  return [...found];
}

/** The ids, without duplicates, of possible subgroups, which cannot be deactivated until the transaction ends. */
export async function accessPotentialSubgroups(tx: Tx, user: User, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number; deactivated: boolean }>`
    select id, deactivated from user_groups
    where realm_id = ${user.realm_id} and id = any(${ids}::bigint[]) and name is not null
    order by id for share`.execute(tx);
  const found = new Set(rows.map((row) => row.id));
  const unknown = ids.find((id) => !found.has(id));
  if (unknown !== undefined) throw new ApiError(`Invalid user group ID: ${unknown}`);
  if (rows.some((row) => row.deactivated)) throw groupIsDeactivated();
  return [...found];
}
