import type { GroupSettingUpdate } from "@skein/api/group-setting.ts";
import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { updateGroupSetting } from "../../organization/permissions/group-settings.ts";
import {
  userGroupPermissionNames,
  userGroupPermissionRule,
  type UserGroupPermission,
} from "../../organization/permissions/user-group-permissions.ts";
import { accessGroupForUpdate, refuseManaged } from "../../people/user-groups/access.ts";
import { reactivateGroup } from "./activation.ts";
import { emitGroupUpdate } from "../../people/user-groups/event-shapes.ts";
import { checkGroupName, nameIsTaken } from "../../people/user-groups/name.ts";
import { settingOf, type GroupRow } from "../../people/user-groups/queries.ts";

export interface GroupChange {
  name?: string | undefined;
  description?: string | undefined;
  /** Only to reactivate: deactivating has its own endpoint. */
  deactivated?: boolean | undefined;
  managed_by?: "scim" | "" | undefined;
  permissions: Partial<Record<UserGroupPermission, GroupSettingUpdate | undefined>>;
}

export async function updateGroup(tx: Tx, actor: User, id: number, change: GroupChange): Promise<void> {
  const { permissions, ...plain } = change;
  if (![...Object.values(plain), ...Object.values(permissions)].some((value) => value !== undefined))
    throw new ApiError("No new data supplied");
  const found = await accessGroupForUpdate(tx, actor, id, []);
  const group = change.deactivated === false && found.deactivated ? await reactivateGroup(tx, found) : found;
  if (change.managed_by !== undefined) await setManagedBy(tx, actor, group, change.managed_by || null);
  if (change.name !== undefined) {
    refuseManaged(group);
    await renameGroup(tx, group, checkGroupName(change.name));
  }
  if (change.description !== undefined && change.description !== group.description) {
    const { description } = change;
    await tx.updateTable("user_groups").set({ description }).where("id", "=", group.id).execute();
    emitGroupUpdate(tx, group, { description });
  }
  for (const name of userGroupPermissionNames) {
    const update = permissions[name];
    if (update) await updatePermission(tx, group, name, update);
  }
}

/** Only owners may hand a group over to the directory, because they alone connect one. */
async function setManagedBy(tx: Tx, actor: User, group: GroupRow, managed_by: "scim" | null): Promise<void> {
  if (actor.role !== roles.owner) throw new ApiError("Must be an organization owner");
  if (group.managed_by === managed_by) return;
  await tx.updateTable("user_groups").set({ managed_by }).where("id", "=", group.id).execute();
  emitGroupUpdate(tx, group, { managed_by });
}

export async function renameGroup(tx: Tx, group: GroupRow, name: string): Promise<void> {
  if (name === group.name) return;
  try {
    await tx.updateTable("user_groups").set({ name }).where("id", "=", group.id).execute();
  } catch (error) {
    // The unique constraint decides if two requests use the same name at once.
    throw isUniqueViolation(error) ? nameIsTaken(name) : error;
  }
  emitGroupUpdate(tx, group, { name });
}

const isUniqueViolation = (error: unknown) => error instanceof Error && "code" in error && error.code === "23505";

async function updatePermission(
  tx: Tx,
  group: GroupRow,
  name: UserGroupPermission,
  update: GroupSettingUpdate,
): Promise<void> {
  const current = settingOf(group, name);
  const changed = await updateGroupSetting(tx, group.realm_id, name, current, update, userGroupPermissionRule(name));
  if (!changed) return;
  await tx
    .updateTable("user_groups")
    .set({ [`${name}_id`]: changed.id })
    .where("id", "=", group.id)
    .execute();
  emitGroupUpdate(tx, group, { [name]: changed.value });
}
