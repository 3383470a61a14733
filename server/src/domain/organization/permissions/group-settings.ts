/**
 * Values of group settings. A value is a group: a named one, or an unnamed one that lists the users and groups of this
 * one value.
 *
 * **Invariant:** an unnamed group never changes once it is created. A new value is a new group, so settings stored in one
 * step may share a group, and reading a setting needs no lock.
 */
import type { GroupSettingUpdate, GroupSettingValue } from "@skein/api/group-setting.ts";
import { sql } from "kysely";
import { ApiError, expectationMismatch } from "../../../errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { SystemGroupName } from "./system-groups.ts";

/** The values allowed for a setting. role:internet is never allowed. */
export interface SettingRule {
  nobody: boolean;
  /** Where `role:everyone` is not allowed, a guest never has the permission, even when listed by id. */
  everyone: boolean;
  /** Only one of these groups is allowed, and no list of users. */
  only?: readonly SystemGroupName[];
  /** None of these is allowed by itself; they may be part of a list. */
  never?: readonly SystemGroupName[];
}

/** Groups as values of settings, by group id. Deactivated users are left out until they are reactivated. */
export async function groupSettingValues(db: Db, groupIds: Iterable<number>): Promise<Map<number, GroupSettingValue>> {
  const ids = [...new Set(groupIds)];
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; direct_members: number[]; direct_subgroups: number[] }>`
    select g.id,
      array(select m.user_id from user_group_members m join users u on u.id = m.user_id and u.is_active
        where m.group_id = g.id order by 1) as direct_members,
      array(select s.subgroup_id from user_group_subgroups s where s.group_id = g.id order by 1) as direct_subgroups
    from user_groups g where g.id = any(${ids}::bigint[]) and g.name is null`.execute(db);
  const values = new Map<number, GroupSettingValue>(ids.map((id) => [id, id]));
  for (const { id, ...lists } of rows) values.set(id, lists);
  return values;
}

/** One group as the value of a setting. */
export const readGroupSetting = async (db: Db, groupId: number): Promise<GroupSettingValue> =>
  (await groupSettingValues(db, [groupId])).get(groupId) ?? groupId;

/** The ids of an organization's system groups. */
export async function systemGroupIds(db: Db, realmId: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("user_groups")
    .select(["id", "name"])
    .where("realm_id", "=", realmId)
    .where("is_system", "=", true)
    .execute();
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[name, id]])));
}

/**
 * Returns the group that stores the value chosen for the setting called `name`; throws when the value is not allowed.
 * Locks the groups it refers to: a concurrent deactivation waits, and then finds them in use.
 */
export async function storeGroupSetting(
  tx: Tx,
  realmId: number,
  name: string,
  value: GroupSettingValue,
  rule: SettingRule,
): Promise<number> {
  const chosen = simplify(value);
  if (typeof chosen === "number") return (await findAllowedGroup(tx, realmId, name, chosen, rule)).id;
  if (chosen === "nobody") return nobody(tx, realmId, name, rule);
  if (rule.only) throw systemGroupRequired(name);
  await refuseUnknownMembers(tx, realmId, chosen.direct_members);
  await refuseUnusableSubgroups(tx, realmId, name, chosen.direct_subgroups, rule);
  return addUnnamedGroup(tx, realmId, chosen);
}

/** The new value of a changed setting: its group's id, and the value as clients see it. */
export interface ChangedSetting {
  id: number;
  value: GroupSettingValue;
}

/** Changes a setting whose group is `current`; undefined when it already has this value. */
export async function updateGroupSetting(
  tx: Tx,
  realmId: number,
  name: string,
  current: number,
  change: GroupSettingUpdate,
  rule: SettingRule,
): Promise<ChangedSetting | undefined> {
  const value = await readGroupSetting(tx, current);
  const nobodyId = await nobodyGroupId(tx, realmId);
  if (change.old !== undefined && !isSameValue(value, change.old, nobodyId)) throw expectationMismatch("old");
  if (isSameValue(value, change.new, nobodyId)) return undefined;
  const id = await storeGroupSetting(tx, realmId, name, change.new, rule);
  return { id, value: await readGroupSetting(tx, id) };
}

function isSameValue(one: GroupSettingValue, other: GroupSettingValue, nobodyId: number): boolean {
  const [a, b] = [simplify(one), simplify(other)];
  if (typeof a !== "object" || typeof b !== "object")
    return (a === "nobody" ? nobodyId : a) === (b === "nobody" ? nobodyId : b);
  return isSameSet(a.direct_members, b.direct_members) && isSameSet(a.direct_subgroups, b.direct_subgroups);
}

const isSameSet = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && new Set([...one, ...other]).size === one.length;

type Lists = Exclude<GroupSettingValue, number>;

/** A list of one group is that group; an empty list is nobody. */
function simplify(value: GroupSettingValue): number | "nobody" | Lists {
  if (typeof value === "number") return value;
  const direct_members = distinct(value.direct_members);
  const direct_subgroups = distinct(value.direct_subgroups);
  if (direct_members.length > 0) return { direct_members, direct_subgroups };
  const [first, second] = direct_subgroups;
  if (first === undefined) return "nobody";
  return second === undefined ? first : { direct_members, direct_subgroups };
}

const distinct = (ids: readonly number[]): number[] => [...new Set(ids)];

async function findAllowedGroup(tx: Tx, realmId: number, name: string, id: number, rule: SettingRule) {
  const group = await tx
    .selectFrom("user_groups")
    .select(["id", "name", "is_system", "deactivated"])
    .where("realm_id", "=", realmId)
    .where("id", "=", id)
    .where("name", "is not", null)
    .forShare()
    .executeTakeFirst();
  if (!group) throw new ApiError("Invalid user group");
  if (rule.only && !group.is_system) throw systemGroupRequired(name);
  if (group.deactivated) throw new ApiError("User group is deactivated.");
  if (group.is_system && !isAllowed(rule, group.name)) throw cannotBe(name, group.name);
  return group;
}

function isAllowed(rule: SettingRule, group: string | null): boolean {
  if (group === "role:internet" || (group === "role:nobody" && !rule.nobody)) return false;
  if (group === "role:everyone" && !rule.everyone) return false;
  if (rule.never?.some((refused) => refused === group)) return false;
  return rule.only?.some((allowed) => allowed === group) ?? true;
}

async function nobody(tx: Tx, realmId: number, name: string, rule: SettingRule): Promise<number> {
  if (!isAllowed(rule, "role:nobody")) throw cannotBe(name, "role:nobody");
  return nobodyGroupId(tx, realmId);
}

async function nobodyGroupId(tx: Tx, realmId: number): Promise<number> {
  const id = (await systemGroupIds(tx, realmId)).get("role:nobody");
  if (id === undefined) throw new Error(`organization ${realmId} has no system groups`);
  return id;
}

async function refuseUnknownMembers(tx: Tx, realmId: number, ids: readonly number[]): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select wanted.id from unnest(${ids}::bigint[]) as wanted (id)
    where not exists (select from users u
      where u.id = wanted.id and u.realm_id = ${realmId} and u.is_active and not u.is_system_bot)
    limit 1`.execute(tx);
  if (rows[0]) throw new ApiError(`Invalid user ID: ${rows[0].id}`);
}

async function refuseUnusableSubgroups(
  tx: Tx,
  realmId: number,
  name: string,
  ids: readonly number[],
  rule: SettingRule,
): Promise<void> {
  if (ids.length === 0) return;
  const groups = await tx
    .selectFrom("user_groups")
    .select(["id", "name", "deactivated"])
    .where("realm_id", "=", realmId)
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .where("name", "is not", null)
    .orderBy("id")
    .forShare()
    .execute();
  const unknown = ids.find((id) => !groups.some((group) => group.id === id));
  if (unknown !== undefined) throw new ApiError(`Invalid user group ID: ${unknown}`);
  if (groups.some((group) => group.deactivated)) throw new ApiError("User group is deactivated.");
  const tooWide = groups.find(
    (group) => group.name === "role:internet" || (group.name === "role:everyone" && !rule.everyone),
  );
  if (tooWide) throw cannotBe(name, tooWide.name);
}

/** The lists have been checked. */
export async function addUnnamedGroup(tx: Tx, realmId: number, lists: Lists): Promise<number> {
  const { id } = await tx
    .insertInto("user_groups")
    .values({ realm_id: realmId })
    .returning("id")
    .executeTakeFirstOrThrow();
  await sql`insert into user_group_members (group_id, user_id, realm_id)
    select ${id}, member, ${realmId} from unnest(${lists.direct_members}::bigint[]) as member`.execute(tx);
  await sql`insert into user_group_subgroups (group_id, subgroup_id, realm_id)
    select ${id}, subgroup, ${realmId} from unnest(${lists.direct_subgroups}::bigint[]) as subgroup`.execute(tx);
  return id;
}

const cannotBe = (setting: string, group: string | null) =>
  new ApiError(`'${setting}' setting cannot be set to '${group}' group.`);

const systemGroupRequired = (setting: string) =>
  new ApiError(`'${setting}' must be a system user group.`, {
    code: "SYSTEM_GROUP_REQUIRED",
    data: { setting_name: setting },
  });
