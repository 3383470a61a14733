/** Applies the rule of access.ts to many users at once: group members are resolved once, not for each user. */
import { sql, type RawBuilder } from "kysely";
import { metadataPermissions, type Channel, type ReaderSql } from "./access.ts";

const rank = "rank_of(u.role, u.date_joined, r.waiting_period_threshold)";

/** For a statement that begins with `groupTables` and has the users as `u` and their organization as `r`. */
export const manyReaders: ReaderSql = {
  id: "u.id",
  rank,
  inGroup: (group) =>
    `((${group}, u.id) in (select root, user_id from listed)` +
    ` or ${rank} <= (select max_rank from ranked where root = ${group}))`,
};

/** The groups that grant access to these channels' metadata. */
export const metadataGroups = (channels: readonly Channel[]): number[] => [
  ...new Set(channels.flatMap((channel) => metadataPermissions.flatMap((name) => channel[`${name}_id`] ?? []))),
];

/** `with recursive …`: the listed members of these groups (only among `userIds`, if given), and their greatest rank. */
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
