/** Deactivating and reactivating a group. It keeps its members and settings; while deactivated, nothing may refer to it. */
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { userGroupPermissionNames } from "../../organization/permissions/user-group-permissions.ts";
import { accessGroupForUpdate, groupIsDeactivated, refuseManaged } from "../../people/user-groups/access.ts";
import { emitActivation } from "../../people/user-groups/event-shapes.ts";
import { listObjections } from "../../people/user-groups/objections.ts";
import { settingOf, showUserGroups, type GroupRow } from "../../people/user-groups/queries.ts";

/** The group stays locked, so that nobody starts using it between the check and the update. */
export async function deactivateGroup(tx: Tx, actor: User, id: number): Promise<void> {
  const group = await accessGroupForUpdate(tx, actor, id, []);
  refuseManaged(group);
  if (group.deactivated) throw groupIsDeactivated();
  const objections = await listObjections(tx, group);
  if (objections.length > 0)
    throw new ApiError("Cannot deactivate user group in use.", {
      code: "CANNOT_DEACTIVATE_GROUP_IN_USE",
      data: { objections },
    });
  await setDeactivated(tx, group, true);
}

/** Refused while the group refers to a deactivated one, which could be deactivated because this group was, too. */
export async function reactivateGroup(tx: Tx, group: GroupRow): Promise<GroupRow> {
  const settings = userGroupPermissionNames.map((name) => settingOf(group, name));
  const { rows } = await sql`
    select from user_groups used
    where used.deactivated and used.id <> ${group.id} and (used.id = any(${settings}::bigint[]) or used.id in (
      select subgroup_id from user_group_subgroups where group_id = any(${[group.id, ...settings]}::bigint[])))
    for share`.execute(tx);
  if (rows.length > 0) throw new ApiError("Cannot reactivate a user group that uses deactivated user groups.");
  return setDeactivated(tx, group, false);
}

export async function setDeactivated(tx: Tx, { id, realm_id }: GroupRow, deactivated: boolean): Promise<GroupRow> {
  const group = await tx
    .updateTable("user_groups")
    .set({ deactivated })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const [shown] = await showUserGroups(tx, [group]);
  if (!shown) throw new Error("every group can be shown");
  emitActivation(tx, realm_id, shown);
  return group;
}
