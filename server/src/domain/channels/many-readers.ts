/** The rule of access.ts asked of many people at once: groups are worked out once, not for each of them. */
import { sql, type RawBuilder } from "kysely";
import { metadataPermissions, type Channel, type ReaderSql } from "./access.ts";

const rank = "rank_of(u.role, u.date_joined, r.waiting_period_threshold)";

/** People as rows of `u`, their organization as `r`, in a statement that begins with `groupTables`. */
export const manyReaders: ReaderSql = {
  id: "u.id",
  rank,
  inGroup: (group) =>
    `((${group}, u.id) in (select root, user_id from listed)` +
    ` or ${rank} <= (select max_rank from ranked where root = ${group}))`,
};

/** The groups that open these channels' metadata. */
export const metadataGroups = (channels: readonly Channel[]): number[] => [
  ...new Set(channels.flatMap((channel) => metadataPermissions.map((name) => channel[`${name}_id`]))),
];

/** `with recursive …`: who is listed in these groups (of some people only, when given), and up to which rank all are. */
export const groupTables = (groupIds: readonly number[], userIds?: readonly number[]): RawBuilder<unknown> => sql`
  with recursive inside (root, group_id) as (
    select id, id from unnest(${groupIds}::bigint[]) as g (id)
    union
    select i.root, s.subgroup_id from inside i join user_group_subgroups s on s.group_id = i.group_id
  ),
  listed (root, user_id) as (
    select i.root, m.user_id from inside i join user_group_members m on m.group_id = i.group_id
    ${userIds ? sql`where m.user_id = any(${userIds}::bigint[])` : sql``}
  ),
  ranked (root, max_rank) as (
    select i.root, coalesce(max(g.max_rank), 0) from inside i join user_groups g on g.id = i.group_id group by i.root
  )`;
