import { sql } from "kysely";
import type { Tx } from "../../platform/db/transaction.ts";
import { metadataAccessSql, metadataPermissions, type Channel, type ReaderSql } from "../channels/access.ts";

/** Of these users, by channel, those who may not know of it. */
export async function listStrangers(
  tx: Tx,
  channels: readonly Channel[],
  userIds: readonly number[],
): Promise<Map<number, Set<number>>> {
  const groups = channels.flatMap((channel) => metadataPermissions.map((name) => channel[`${name}_id`]));
  const isKnown = sql.raw<boolean>(metadataAccessSql({ channel: "c", subscription: "s", reader: manyUsers }));
  const { rows } = await sql<{ channel_id: number; user_ids: number[] }>`
    with recursive inside (root, group_id) as (
      select id, id from unnest(${[...new Set(groups)]}::bigint[]) as g (id)
      union
      select i.root, s.subgroup_id from inside i join user_group_subgroups s on s.group_id = i.group_id
    ),
    listed (root, user_id) as (
      select i.root, m.user_id from inside i join user_group_members m on m.group_id = i.group_id
      where m.user_id = any(${userIds}::bigint[])
    ),
    ranked (root, max_rank) as (
      select i.root, coalesce(max(g.max_rank), 0) from inside i join user_groups g on g.id = i.group_id group by i.root
    )
    select c.id as channel_id, json_agg(u.id) as user_ids
    from channels c join realms r on r.id = c.realm_id
      join users u on u.realm_id = r.id and u.id = any(${userIds}::bigint[])
      left join subscriptions s on s.user_id = u.id and s.channel_id = c.id
    where c.id = any(${channels.map((channel) => channel.id)}::bigint[]) and not ${isKnown}
    group by c.id`.execute(tx);
  return new Map(rows.map((row) => [row.channel_id, new Set(row.user_ids)]));
}

const rank = "rank_of(u.role, u.date_joined, r.waiting_period_threshold)";

/** The groups are worked out once for all users: who is listed in them, and up to which rank everybody is. */
const manyUsers: ReaderSql = {
  id: "u.id",
  rank,
  inGroup: (group) =>
    `((${group}, u.id) in (select root, user_id from listed)` +
    ` or ${rank} <= (select max_rank from ranked where root = ${group}))`,
};
