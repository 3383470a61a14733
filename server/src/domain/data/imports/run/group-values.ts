/**
 * Values of permissions. Groups and people that are not here are left out of a value, and a value that is not allowed here
 * becomes the strictest one, so nobody may do more than in the source. The report says so.
 */
import { sql } from "kysely";
import { ApiError } from "../../../../errors.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import {
  addUnnamedGroup,
  storeGroupSetting,
  systemGroupIds,
  type SettingRule,
} from "../../../organization/permissions/group-settings.ts";
import { systemGroupNames, type SystemGroupName } from "../../../organization/permissions/system-groups.ts";
import type { SourceGroupValue, SourceId } from "../source.ts";
import type { Import } from "./import-context.ts";
import { recall } from "./map.ts";
import { remarkInto, type Report } from "./report.ts";

/** Our ids of whom and what a value may name. */
export interface KnownHolders {
  people: ReadonlyMap<SourceId, number>;
  /** Also by the names of the groups of roles. */
  groups: ReadonlyMap<SourceId, number>;
}

export async function loadHolders(db: Db, run: Import): Promise<KnownHolders> {
  const groups = await recall(db, run, "group");
  return {
    people: await recall(db, run, "person"),
    groups: new Map([...[...groups].filter(([, id]) => id > 0), ...(await systemGroupIds(db, run.realmId))]),
  };
}

interface Permission {
  name: string;
  rule: SettingRule;
  /** What it is a permission of, for the report. */
  of: string;
}

/** The id of the group that stores the value. */
export async function storeGroupValue(
  tx: Tx,
  { realmId }: Import,
  { name, rule, of }: Permission,
  value: SourceGroupValue,
  known: KnownHolders,
  report: Report,
): Promise<number> {
  const members = value.members.flatMap((member) => known.people.get(member) ?? []);
  const direct_subgroups = value.groups.flatMap((group) => known.groups.get(group) ?? []);
  if (members.length < value.members.length || direct_subgroups.length < value.groups.length)
    remarkInto(report, `${name} of ${of} names people or groups that are not here. They do not have this permission.`);
  const { rows } = await sql<{ id: number; is_active: boolean }>`
    select id, is_active from users where realm_id = ${realmId} and not is_system_bot
      and id = any(${members}::bigint[]) order by id`.execute(tx);
  const direct_members = rows.filter(({ is_active }) => is_active).map(({ id }) => id);
  try {
    const id = await storeGroupSetting(tx, realmId, name, { direct_members, direct_subgroups }, rule);
    // People who are inactive have it again when they are reactivated.
    return direct_members.length === rows.length || rule.only
      ? id
      : await addUnnamedGroup(tx, realmId, { direct_members: rows.map((row) => row.id), direct_subgroups });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const group = strictest(rule);
    remarkInto(report, `${name} of ${of} is ${group} now: ${error.message}`);
    return known.groups.get(group) ?? 0;
  }
}

/** The names are ordered from narrow to wide. */
export const strictest = ({ nobody, only }: SettingRule): SystemGroupName =>
  systemGroupNames.find((name) => (only ? only.includes(name) : nobody || name !== "role:nobody")) ?? "role:nobody";
