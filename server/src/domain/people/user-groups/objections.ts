/** Finds where a group is in use: as a subgroup, or as the value of a setting, by itself or in a list. */
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import { channelPermissionNames } from "../../organization/permissions/channel-permissions.ts";
import { realmPermissionNames } from "../../organization/permissions/realm-permissions.ts";
import { userGroupPermissionNames } from "../../organization/permissions/user-group-permissions.ts";
import type { GroupRow } from "./queries.ts";

export type Objection =
  | { type: "subgroup"; supergroup_ids: number[] }
  | { type: "channel"; channel_id: number; settings: string[] }
  | { type: "user_group"; group_id: number; settings: string[] }
  | { type: "realm"; settings: string[] };

/** Uses by archived channels, by deactivated groups and by the group itself do not count. */
export async function listObjections(db: Db, group: GroupRow): Promise<Objection[]> {
  const { rows: supergroups } = await sql<{ id: number; is_named: boolean }>`
    select g.id, g.name is not null as is_named
    from user_group_subgroups s join user_groups g on g.id = s.group_id
    where s.subgroup_id = ${group.id} and not g.deactivated order by 1`.execute(db);
  const supergroup_ids = supergroups.filter((supergroup) => supergroup.is_named).map(({ id }) => id);
  const values = [group.id, ...supergroups.filter((supergroup) => !supergroup.is_named).map(({ id }) => id)];
  const uses = (owner: Owner) => listUses(db, group.realm_id, owner, values);
  const channels = await uses({ table: "channels", settings: channelPermissionNames, isActive: "not o.is_archived" });
  const groups = await uses({
    table: "user_groups",
    settings: userGroupPermissionNames,
    isActive: "not o.deactivated",
  });
  const realms = await uses({ table: "realms", settings: realmPermissionNames, isActive: "true" });
  return [
    ...(supergroup_ids.length > 0 ? [{ type: "subgroup" as const, supergroup_ids }] : []),
    ...channels.map(({ id, settings }) => ({ type: "channel" as const, channel_id: id, settings })),
    ...groups
      .filter(({ id }) => id !== group.id)
      .map(({ id, settings }) => ({ type: "user_group" as const, group_id: id, settings })),
    ...realms.map(({ settings }) => ({ type: "realm" as const, settings })),
  ];
}

/** A table with settings. `isActive` is SQL in which `o` is the row. */
interface Owner {
  table: "channels" | "user_groups" | "realms";
  settings: readonly string[];
  isActive: string;
}

interface Use {
  id: number;
  settings: string[];
}

/** The owners with a setting that has one of these values, and the names of those settings. */
async function listUses(db: Db, realmId: number, owner: Owner, values: readonly number[]): Promise<Use[]> {
  const settings = sql.raw(owner.settings.map((name) => `('${name}', o.${name}_id)`).join(", "));
  const realm = sql.raw(owner.table === "realms" ? "o.id" : "o.realm_id");
  const { rows } = await sql<Use>`
    select o.id, used.settings from ${sql.raw(owner.table)} o cross join lateral (
      select array_agg(name) as settings from (values ${settings}) as setting (name, group_id)
      where group_id = any(${values}::bigint[])) used
    where ${realm} = ${realmId} and ${sql.raw(owner.isActive)} and used.settings is not null order by 1`.execute(db);
  return rows;
}
