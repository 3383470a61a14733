/** Adding users and subgroups to a group, and removing them. */
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import {
  accessActiveUsers,
  accessGroupForUpdate,
  accessPotentialSubgroups,
  refuseManaged,
} from "../../people/user-groups/access.ts";
import { noteChannelsOpenedBy } from "./channel-visibility.ts";
import { emitGroupEvent } from "../../people/user-groups/event-shapes.ts";
import type { GroupRow } from "../../people/user-groups/queries.ts";

export interface MembershipChange {
  add: readonly number[];
  delete: readonly number[];
  add_subgroups: readonly number[];
  delete_subgroups: readonly number[];
}

export async function updateMembership(tx: Tx, actor: User, id: number, change: MembershipChange): Promise<void> {
  await lockGroupGraph(tx, actor.realm_id);
  const emitChannelChanges = await noteChannelsOpenedBy(tx, id);
  if (change.add.length > 0) await addMembers(tx, actor, id, change.add);
  if (change.delete.length > 0) await removeMembers(tx, actor, id, change.delete);
  if (change.add_subgroups.length > 0) await addSubgroups(tx, actor, id, change.add_subgroups);
  if (change.delete_subgroups.length > 0) await removeSubgroups(tx, actor, id, change.delete_subgroups);
  await emitChannelChanges();
}

const isSelf = (actor: User, ids: readonly number[]): boolean => ids.every((id) => id === actor.id);

async function addMembers(tx: Tx, actor: User, id: number, userIds: readonly number[]): Promise<void> {
  const own = isSelf(actor, userIds) ? (["can_join_group"] as const) : [];
  const group = await accessGroupForUpdate(tx, actor, id, ["can_add_members_group", ...own]);
  refuseManaged(group);
  const user_ids = await accessActiveUsers(tx, actor, userIds);
  const { rows } = await sql<{ user_id: number }>`
    insert into user_group_members (group_id, user_id, realm_id)
    select ${group.id}, member, ${group.realm_id} from unnest(${user_ids}::bigint[]) as member
    on conflict do nothing returning user_id`.execute(tx);
  const added = new Set(rows.map((row) => row.user_id));
  const already = user_ids.find((user) => !added.has(user));
  if (already !== undefined) throw new ApiError(`User ${already} is already a member of this group`);
  emitGroupEvent(tx, group, { op: "add_members", group_id: group.id, user_ids });
}

async function removeMembers(tx: Tx, actor: User, id: number, userIds: readonly number[]): Promise<void> {
  const own = isSelf(actor, userIds) ? (["can_leave_group"] as const) : [];
  const group = await accessGroupForUpdate(tx, actor, id, ["can_remove_members_group", ...own]);
  refuseManaged(group);
  const user_ids = await accessActiveUsers(tx, actor, userIds);
  const { rows } = await sql<{ user_id: number }>`
    delete from user_group_members where group_id = ${group.id} and user_id = any(${user_ids}::bigint[])
    returning user_id`.execute(tx);
  const removed = new Set(rows.map((row) => row.user_id));
  const stranger = user_ids.find((user) => !removed.has(user));
  if (stranger !== undefined) throw new ApiError(`There is no member '${stranger}' in this user group`);
  emitGroupEvent(tx, group, { op: "remove_members", group_id: group.id, user_ids });
}

async function addSubgroups(tx: Tx, actor: User, id: number, groupIds: readonly number[]): Promise<void> {
  const group = await accessGroupForUpdate(tx, actor, id, ["can_add_members_group"]);
  refuseManaged(group);
  const direct_subgroup_ids = await accessPotentialSubgroups(tx, actor, groupIds);
  await refuseCycle(tx, group, direct_subgroup_ids);
  const { rows } = await sql<{ subgroup_id: number }>`
    insert into user_group_subgroups (group_id, subgroup_id, realm_id)
    select ${group.id}, subgroup, ${group.realm_id} from unnest(${direct_subgroup_ids}::bigint[]) as subgroup
    on conflict do nothing returning subgroup_id`.execute(tx);
  const added = new Set(rows.map((row) => row.subgroup_id));
  const already = direct_subgroup_ids.find((subgroup) => !added.has(subgroup));
  if (already !== undefined) throw new ApiError(`User group ${already} is already a subgroup of this group.`);
  emitGroupEvent(tx, group, { op: "add_subgroups", group_id: group.id, direct_subgroup_ids });
}

async function removeSubgroups(tx: Tx, actor: User, id: number, groupIds: readonly number[]): Promise<void> {
  const group = await accessGroupForUpdate(tx, actor, id, ["can_remove_members_group"]);
  refuseManaged(group);
  const { rows } = await sql<{ subgroup_id: number }>`
    delete from user_group_subgroups where group_id = ${group.id} and subgroup_id = any(${groupIds}::bigint[])
    returning subgroup_id`.execute(tx);
  const direct_subgroup_ids = rows.map((row) => row.subgroup_id).toSorted((a, b) => a - b);
  const stranger = groupIds.find((subgroup) => !direct_subgroup_ids.includes(subgroup));
  if (stranger !== undefined) throw new ApiError(`User group ${stranger} is not a subgroup of this group.`);
  emitGroupEvent(tx, group, { op: "remove_subgroups", group_id: group.id, direct_subgroup_ids });
}

/**
 * Serializes changes of the group graph. Otherwise two requests could each add a group to the other's and both find no
 * cycle, and two changes of one user's membership would not see which channels the other makes appear or disappear.
 */
export async function lockGroupGraph(tx: Tx, realmId: number): Promise<void> {
  await tx.selectFrom("realms").select("id").where("id", "=", realmId).forNoKeyUpdate().execute();
}

async function refuseCycle(tx: Tx, group: GroupRow, subgroupIds: readonly number[]): Promise<void> {
  const { rows } = await sql<{ closes: boolean }>`
    with recursive inside (id) as (
      select unnest(${subgroupIds}::bigint[])
      union
      select s.subgroup_id from inside i join user_group_subgroups s on s.group_id = i.id
    )
    select exists (select from inside where id = ${group.id}) as closes`.execute(tx);
  if (rows[0]?.closes)
    throw new ApiError(`User group ${group.id} is already a subgroup of one of the passed subgroups.`);
}

/**
 * Adds a user to groups and removes them from others because their identity provider says so; nobody's permission is needed.
 * Must run inside revoke(). Returns the groups that have changed.
 */
export async function followProvider(
  tx: Tx,
  user: Pick<User, "id" | "realm_id">,
  { add, remove }: { add: readonly number[]; remove: readonly number[] },
): Promise<{ added: number[]; removed: number[] }> {
  await lockGroupGraph(tx, user.realm_id);
  const groups = await tx
    .selectFrom("user_groups")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("id", "in", [...add, ...remove, 0])
    .where("name", "is not", null)
    .where("is_system", "=", false)
    .where("deactivated", "=", false)
    .orderBy("id")
    .forUpdate()
    .execute();
  const changed = { added: [] as number[], removed: [] as number[] };
  for (const group of groups) {
    const isAdded = add.includes(group.id);
    const emitChannelChanges = await noteChannelsOpenedBy(tx, group.id);
    const { rows } = isAdded
      ? await sql`
          insert into user_group_members (group_id, user_id, realm_id) values (${group.id}, ${user.id}, ${user.realm_id})
          on conflict do nothing returning 1`.execute(tx)
      : await sql`
          delete from user_group_members where group_id = ${group.id} and user_id = ${user.id} returning 1`.execute(tx);
    if (rows.length === 0) continue;
    changed[isAdded ? "added" : "removed"].push(group.id);
    emitGroupEvent(tx, group, {
      op: isAdded ? "add_members" : "remove_members",
      group_id: group.id,
      user_ids: [user.id],
    });
    await emitChannelChanges();
  }
  return changed;
}
