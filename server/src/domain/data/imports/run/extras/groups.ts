import { maxUserGroupDescriptionLength, maxUserGroupNameLength } from "@skein/api/user-groups.ts";
import { sql } from "kysely";
import type { Tx } from "../../../../../platform/db/transaction.ts";
import { deactivateGroup } from "../../../../administration/user-groups/activation.ts";
import { createGroup } from "../../../../administration/user-groups/create.ts";
import { updateMembership } from "../../../../administration/user-groups/members.ts";
import { truncate } from "../../../../base/truncate.ts";
import {
  userGroupPermissionNames,
  userGroupPermissionRule,
} from "../../../../organization/permissions/user-group-permissions.ts";
import { listObjections } from "../../../../people/user-groups/objections.ts";
import type { SourceExtras, SourceGroup } from "../../source.ts";
import { loadHolders, storeGroupValue, type KnownHolders } from "../group-values.ts";
import type { Import } from "../import-context.ts";
import { recall } from "../map.ts";
import { storeOne } from "./store-one.ts";

/**
 * User groups, then which of them are in others, then who may do what with them: each needs the one before. A group of the
 * same name may have permissions here, so nobody is put into it: the imported one gets another name.
 */
export async function storeGroups(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  const people = await recall(run.db, run, "person");
  const ids = await recall(run.db, run, "group");
  for await (const group of extras.groups()) {
    if (ids.has(group.id)) continue;
    const item = { kind: "group", key: group.id, what: `the group ${group.name}`, checkpoint } as const;
    ids.set(group.id, await storeOne(run, item, (tx) => create(tx, run, group, people)));
  }
  const known = await loadHolders(run.db, run);
  await storeSubgroups(run, extras, checkpoint, known.groups);
  await storePermissions(run, extras, checkpoint, known);
}

/**
 * Groups are deactivated at the very end, when deactivated groups and archived channels are all that may use them. One that
 * another of them uses comes after it.
 */
export async function deactivateGroups(run: Import, checkpoint: number): Promise<void> {
  const ids = await recall(run.db, run, "group");
  let pending: { key: string; id: number; name: string }[] = [];
  for await (const { id, name, isActive } of run.source.extras?.groups() ?? []) {
    const key = `${id}/deactivated`;
    if (!isActive && (ids.get(id) ?? 0) > 0 && !ids.has(key)) pending.push({ key, id: ids.get(id) ?? 0, name });
  }
  while (pending.length > 0) {
    const free: typeof pending = [];
    for (const group of pending) if (!(await isInUse(run, group.id))) free.push(group);
    // If all are in use, the report says so.
    const next = free.length > 0 ? free : pending;
    for (const { key, id, name } of next)
      await storeOne(run, { kind: "group", key, what: `that ${name} is deactivated`, checkpoint }, async (tx) => {
        await deactivateGroup(tx, run.owner, id);
        return id;
      });
    pending = pending.filter((group) => !next.includes(group));
  }
}

async function isInUse({ db }: Import, id: number): Promise<boolean> {
  const group = await db.selectFrom("user_groups").selectAll().where("id", "=", id).executeTakeFirst();
  return group !== undefined && (await listObjections(db, group)).length > 0;
}

/** Until then nobody has them. */
async function storePermissions(
  run: Import,
  extras: SourceExtras,
  checkpoint: number,
  known: KnownHolders,
): Promise<void> {
  const done = await recall(run.db, run, "group");
  for await (const { id: sourceId, name, permissions = {} } of extras.groups()) {
    const [id, key] = [known.groups.get(sourceId), `${sourceId}/permissions`];
    if (id === undefined || done.has(key) || Object.keys(permissions).length === 0) continue;
    const item = { kind: "group", key, what: `permissions of the group ${name}`, checkpoint } as const;
    await storeOne(run, item, async (tx, report) => {
      const columns: [string, number][] = [];
      for (const permission of userGroupPermissionNames) {
        const value = permissions[permission];
        const rule = userGroupPermissionRule(permission);
        const described = { name: permission, rule, of: `the group ${name}` };
        if (value) columns.push([`${permission}_id`, await storeGroupValue(tx, run, described, value, known, report)]);
      }
      await tx.updateTable("user_groups").set(Object.fromEntries(columns)).where("id", "=", id).execute();
      return id;
    });
  }
}

async function storeSubgroups(
  run: Import,
  extras: SourceExtras,
  checkpoint: number,
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const done = await recall(run.db, run, "group");
  for await (const group of extras.groups())
    for (const subgroup of group.subgroups) {
      const [id = 0, inside = 0] = [ids.get(group.id), ids.get(subgroup)];
      const key = `${group.id}/${subgroup}`;
      if (id === 0 || inside === 0 || done.has(key)) continue;
      await storeOne(run, { kind: "group", key, what: `a group in ${group.name}`, checkpoint }, async (tx) => {
        const none = { add: [], delete: [], delete_subgroups: [] };
        await updateMembership(tx, run.owner, id, { ...none, add_subgroups: [inside] });
        return inside;
      });
    }
}

async function create(tx: Tx, run: Import, group: SourceGroup, people: ReadonlyMap<string, number>): Promise<number> {
  const { owner, realmId } = run;
  const members = [...new Set(group.members.flatMap((member) => people.get(member) ?? []))];
  const { rows } = await sql<{ id: number; is_active: boolean }>`
    select id, is_active from users where realm_id = ${realmId} and id = any(${members}::bigint[])`.execute(tx);
  const nobody = { direct_members: [], direct_subgroups: [] };
  const id = await createGroup(tx, owner, {
    name: await freeName(tx, run, group.name),
    description: truncate(group.description, maxUserGroupDescriptionLength, "…"),
    members: rows.filter(({ is_active }) => is_active).map((row) => row.id),
    subgroups: [],
    permissions: Object.fromEntries(Object.keys(group.permissions ?? {}).map((name) => [name, nobody])),
  });
  const creator_id = people.get(group.creatorId ?? "");
  if (group.createdAt !== undefined)
    await tx
      .updateTable("user_groups")
      .set({ date_created: new Date(Math.round(group.createdAt * 1000)), creator_id: creator_id ?? null })
      .where("id", "=", id)
      .execute();
  // They are members again when they are reactivated.
  const inactive = rows.filter(({ is_active }) => !is_active).map((row) => row.id);
  await sql`
    insert into user_group_members (group_id, user_id, realm_id)
    select ${id}, member, ${realmId} from unnest(${inactive}::bigint[]) as member`.execute(tx);
  return id;
}

async function freeName(tx: Tx, { realmId, source }: Import, wanted: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const suffix = attempt === 1 ? "" : ` (${source.name}${attempt === 2 ? "" : ` ${attempt - 1}`})`;
    const name = truncate(wanted.trim(), maxUserGroupNameLength - suffix.length, "…") + suffix;
    const { rows } = await sql`
      select from user_groups where realm_id = ${realmId} and lower(name) = lower(${name})`.execute(tx);
    if (rows.length === 0) return name;
  }
}
