/**
 * Groups that the directory manages, as SCIM groups. The chat lists their active members only; a deactivated person stays a
 * member here, and is back in the group when the account is reactivated.
 */
import { maxUserGroupNameLength } from "@skein/api/user-groups.ts";
import { textLength } from "@skein/api/endpoint.ts";
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { systemGroupIds } from "../../organization/permissions/group-settings.ts";
import {
  userGroupPermissionNames,
  userGroupPermissionRule,
  type UserGroupPermissionColumn,
} from "../../organization/permissions/user-group-permissions.ts";
import { emitGroupEvent, emitGroupUpdate } from "../../people/user-groups/event-shapes.ts";
import { checkGroupName } from "../../people/user-groups/name.ts";
import { listObjections } from "../../people/user-groups/objections.ts";
import { showUserGroups, type GroupRow } from "../../people/user-groups/queries.ts";
import { setDeactivated } from "../user-groups/activation.ts";
import { noteChannelsOpenedBy } from "../user-groups/channel-visibility.ts";
import { lockGroupGraph } from "../user-groups/members.ts";
import { renameGroup } from "../user-groups/update.ts";
import { isObject, requiredText, type JsonObject } from "./filter.ts";
import type { Source } from "./find.ts";
import { groupSchemas, urns } from "./schemas.ts";
import { invalid, notFound, taken } from "./scim-error.ts";
import { readId } from "./show-users.ts";
import type { Directory } from "./tokens.ts";

interface ManagedGroup {
  id: number;
  name: string;
  date_created: Date | null;
  external_id: string | null;
  modified_at: Date | null;
}

/** SQL: the directory's groups, as `g`, with what it has said about them, as `s`. */
const managed = (realmId: number) => sql`
  user_groups g left join scim_groups s on s.group_id = g.id
  where g.realm_id = ${realmId} and g.managed_by = 'scim' and not g.deactivated`;
const columns = sql`g.id, g.name, g.date_created, s.external_id, s.modified_at`;

export async function findGroup(db: Db, realmId: number, id: number): Promise<ManagedGroup | undefined> {
  const { rows } = await sql<ManagedGroup>`select ${columns} from ${managed(realmId)} and g.id = ${id}`.execute(db);
  return rows[0];
}

interface Member {
  id: number;
  full_name: string;
  is_active: boolean;
}

async function listMembers(db: Db, groupIds: readonly number[]): Promise<Map<number, Member[]>> {
  const { rows } = await sql<Member & { group_id: number }>`
    select m.group_id, u.id, u.full_name, u.is_active from user_group_members m join users u on u.id = m.user_id
    where m.group_id = any(${groupIds}::bigint[]) and not u.is_bot order by 1, 2`.execute(db);
  return Map.groupBy(rows, (row) => row.group_id);
}

export async function showGroups(
  db: Db,
  directory: Directory,
  groups: ManagedGroup[],
  { withMembers }: { withMembers: boolean },
): Promise<JsonObject[]> {
  const ids = groups.map((group) => group.id);
  const members = withMembers && ids.length > 0 ? await listMembers(db, ids) : undefined;
  return groups.map((group) => toScimGroup(directory, group, members && (members.get(group.id) ?? [])));
}

function toScimGroup({ base, realm }: Directory, group: ManagedGroup, members: Member[] | undefined): JsonObject {
  const created = group.date_created ?? realm.date_created;
  return {
    schemas: [urns.group],
    id: String(group.id),
    ...(group.external_id === null ? {} : { externalId: group.external_id }),
    displayName: group.name,
    ...(members ? { members: members.map(({ id, full_name }) => ({ value: String(id), display: full_name })) } : {}),
    meta: {
      resourceType: "Group",
      created: created.toISOString(),
      lastModified: (group.modified_at ?? created).toISOString(),
      location: `${base}/Groups/${group.id}`,
    },
  };
}

export function groupSource(db: Db, directory: Directory, how: { withMembers: boolean }): Source {
  const realmId = directory.realm.id;
  return {
    schemas: groupSchemas,
    narrow: (filter) => {
      const id = requiredText(filter, "id");
      if (id !== undefined) return sql`g.id = ${readId(id) ?? 0}`;
      const name = requiredText(filter, "displayName");
      return name === undefined ? undefined : sql`lower(g.name) = lower(${name.replaceAll("\0", "\u{fffd}")})`;
    },
    count: async () => {
      const { rows } = await sql<{ count: number }>`select count(*) from ${managed(realmId)}`.execute(db);
      return rows[0]?.count ?? 0;
    },
    load: async ({ condition, afterId = 0, offset = 0, limit }) => {
      const { rows } = await sql<ManagedGroup>`
        select ${columns} from ${managed(realmId)} and ${condition} and g.id > ${afterId}
        order by g.id limit ${limit} offset ${offset}`.execute(db);
      const shown = await showGroups(db, directory, rows, how);
      return rows.map((row, index) => ({ id: row.id, resource: shown[index] ?? {} }));
    },
  };
}

/** What a PATCH is applied to. */
export async function patchableGroup(db: Db, group: ManagedGroup): Promise<JsonObject> {
  const members = (await listMembers(db, [group.id])).get(group.id) ?? [];
  return {
    id: String(group.id),
    displayName: group.name,
    ...(group.external_id === null ? {} : { externalId: group.external_id }),
    members: members.map(({ id }) => ({ value: String(id) })),
  };
}

interface Wanted {
  name: string;
  externalId: string | null;
  members: number[];
}

function readWanted({ displayName, externalId, members }: JsonObject): Wanted {
  if (typeof displayName !== "string") throw invalid("invalidValue", "displayName is required.");
  const name = checkGroupName(displayName);
  if (textLength(name) > maxUserGroupNameLength)
    throw invalid("invalidValue", `displayName is too long (limit: ${maxUserGroupNameLength} characters).`);
  const ids = (Array.isArray(members) ? members : []).filter(isObject).map(({ value }) => memberId(value));
  return { name, externalId: typeof externalId === "string" ? externalId : null, members: [...new Set(ids)] };
}

const noSuchMember = (id: unknown) => invalid("invalidValue", `There is no user ${String(id).slice(0, 40)}.`);

function memberId(value: unknown): number {
  const id = typeof value === "string" ? readId(value) : undefined;
  if (id === undefined) throw noSuchMember(value);
  return id;
}

const nameInUse = () => taken("Another group has this name.");

export async function createManagedGroup(tx: Tx, directory: Directory, resource: JsonObject): Promise<number> {
  const { realm } = directory;
  const wanted = readWanted(resource);
  await lockGroupGraph(tx, realm.id);
  const group = await tx
    .insertInto("user_groups")
    .values({
      realm_id: realm.id,
      name: wanted.name,
      description: "",
      managed_by: "scim",
      date_created: sql<Date>`now()`,
      ...(await defaultPermissions(tx, realm.id)),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!group) throw nameInUse();
  const members = await accessMembers(tx, realm.id, wanted.members);
  await insertMembers(tx, group, [...members.keys()]);
  const [shown] = await showUserGroups(tx, [group]);
  emitGroupEvent(tx, group, { op: "add", group: shown });
  await touch(tx, group, wanted.externalId);
  return group.id;
}

/** Where a person would get the permission for creating the group, administrators have it. */
async function defaultPermissions(tx: Tx, realmId: number): Promise<Record<UserGroupPermissionColumn, number>> {
  const groups = await systemGroupIds(tx, realmId);
  const entries = userGroupPermissionNames.map((name) => {
    const rule = userGroupPermissionRule(name);
    return [`${name}_id`, groups.get(rule.default === "group_creator" ? "role:administrators" : rule.default)];
  });
  // One entry for each name, and system groups always exist.
  return Object.fromEntries(entries) as Record<UserGroupPermissionColumn, number>;
}

/** Whether each of these people is active. */
async function accessMembers(tx: Tx, realmId: number, ids: readonly number[]): Promise<Map<number, boolean>> {
  const { rows } = await sql<{ id: number; is_active: boolean }>`
    select u.id, u.is_active from users u left join scim_users s on s.user_id = u.id
    where u.realm_id = ${realmId} and u.id = any(${ids}::bigint[]) and not u.is_bot and not u.is_system_bot
      and (s.deleted_at is null or u.is_active) order by 1`.execute(tx);
  const found = new Map(rows.map((row) => [row.id, row.is_active]));
  const unknown = ids.find((id) => !found.has(id));
  if (unknown !== undefined) throw noSuchMember(unknown);
  return found;
}

async function insertMembers(tx: Tx, { id, realm_id }: GroupRow, userIds: readonly number[]): Promise<void> {
  await sql`
    insert into user_group_members (group_id, user_id, realm_id)
    select ${id}, member, ${realm_id} from unnest(${userIds}::bigint[]) as member
    on conflict do nothing`.execute(tx);
}

/** Records that the directory has changed the group. */
async function touch(tx: Tx, { id, realm_id }: GroupRow, externalId: string | null): Promise<void> {
  await sql`
    insert into scim_groups (group_id, realm_id, external_id, modified_at)
    values (${id}, ${realm_id}, ${externalId}, clock_timestamp())
    on conflict (group_id) do update set external_id = excluded.external_id, modified_at = excluded.modified_at`.execute(
    tx,
  );
}

/** The group, locked until the transaction ends. */
async function lockManagedGroup(tx: Tx, realmId: number, id: number): Promise<GroupRow> {
  await lockGroupGraph(tx, realmId);
  const group = await tx
    .selectFrom("user_groups")
    .selectAll()
    .where("realm_id", "=", realmId)
    .where("id", "=", id)
    .where("managed_by", "=", "scim")
    .forUpdate()
    .executeTakeFirst();
  if (!group) throw notFound();
  return group;
}

/** Brings a group in line with the resource. `found` is the group as it was when the change began. */
export async function updateManagedGroup(
  tx: Tx,
  { realm }: Directory,
  found: ManagedGroup,
  resource: JsonObject,
): Promise<void> {
  const wanted = readWanted(resource);
  const group = await lockManagedGroup(tx, realm.id, found.id);
  const hasChangedMembers = await setMembers(tx, group, wanted.members);
  if (wanted.name !== group.name) {
    await refuseTakenName(tx, group, wanted.name);
    await renameGroup(tx, group, wanted.name);
  }
  if (hasChangedMembers || wanted.name !== group.name || wanted.externalId !== found.external_id)
    await touch(tx, group, wanted.externalId);
}

/** Names of groups change while the organization is locked, so that the answer holds. */
async function refuseTakenName(tx: Tx, { id, realm_id }: GroupRow, name: string): Promise<void> {
  const { rows } = await sql`
    select from user_groups where realm_id = ${realm_id} and lower(name) = lower(${name}) and id <> ${id}`.execute(tx);
  if (rows.length > 0) throw nameInUse();
}

/** Emits events about active members only; returns whether anything has changed. */
async function setMembers(tx: Tx, group: GroupRow, wanted: readonly number[]): Promise<boolean> {
  const { rows: current } = await sql<{ id: number; is_active: boolean }>`
    select u.id, u.is_active from user_group_members m join users u on u.id = m.user_id
    where m.group_id = ${group.id} order by 1`.execute(tx);
  const before = new Set(current.map(({ id }) => id));
  const after = new Set(wanted);
  const added = await accessMembers(tx, group.realm_id, [...after.difference(before)]);
  const removed = current.filter(({ id }) => !after.has(id));
  if (added.size === 0 && removed.length === 0) return false;
  const emitChannelChanges = await noteChannelsOpenedBy(tx, group.id);
  await insertMembers(tx, group, [...added.keys()]);
  await sql`
    delete from user_group_members
    where group_id = ${group.id} and user_id = any(${removed.map(({ id }) => id)}::bigint[])`.execute(tx);
  emitMembers(
    tx,
    group,
    "add_members",
    [...added].map(([id, is_active]) => ({ id, is_active })),
  );
  emitMembers(tx, group, "remove_members", removed);
  await emitChannelChanges();
  return true;
}

function emitMembers(
  tx: Tx,
  group: GroupRow,
  op: "add_members" | "remove_members",
  people: { id: number; is_active: boolean }[],
): void {
  const user_ids = people.filter(({ is_active }) => is_active).map(({ id }) => id);
  if (user_ids.length > 0) emitGroupEvent(tx, group, { op, group_id: group.id, user_ids });
}

/**
 * Empties the group and gives it back to the organization under another name, so that its own is free. Deactivates it unless
 * something still refers to it.
 */
export async function deleteManagedGroup(tx: Tx, { realm }: Directory, id: number): Promise<void> {
  const group = await lockManagedGroup(tx, realm.id, id);
  await setMembers(tx, group, []);
  await removeSubgroups(tx, group);
  await renameGroup(tx, group, nameOfDeleted(group));
  await tx.updateTable("user_groups").set({ managed_by: null }).where("id", "=", id).execute();
  emitGroupUpdate(tx, group, { managed_by: null });
  await tx.deleteFrom("scim_groups").where("group_id", "=", id).execute();
  if ((await listObjections(tx, group)).length === 0) await setDeactivated(tx, group, true);
}

function nameOfDeleted({ id, name }: GroupRow): string {
  const end = ` (deleted ${id})`;
  const start = Array.from(name ?? "").slice(0, maxUserGroupNameLength - end.length);
  return start.join("") + end;
}

async function removeSubgroups(tx: Tx, group: GroupRow): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    delete from user_group_subgroups where group_id = ${group.id} returning subgroup_id as id`.execute(tx);
  if (rows.length === 0) return;
  const direct_subgroup_ids = rows.map(({ id }) => id).toSorted((a, b) => a - b);
  emitGroupEvent(tx, group, { op: "remove_subgroups", group_id: group.id, direct_subgroup_ids });
}
