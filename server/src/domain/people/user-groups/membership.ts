/** The members and subgroups of a group, directly or at any depth. Only active users count. */
import { sql } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { directSystemGroups } from "../../organization/permissions/system-groups.ts";
import type { GroupRow } from "./queries.ts";

/** SQL for a group and all the stored subgroups below it, as rows of `inside (id)`. */
const inside = (groupId: number) => sql`
  inside (id) as (
    select ${groupId}::bigint
    union
    select s.subgroup_id from inside i join user_group_subgroups s on s.group_id = i.id
  )`;

export async function listMembers(db: Db, reader: User, group: GroupRow): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive ${inside(group.id)},
    members (id) as (
      select m.user_id from inside i join user_group_members m on m.group_id = i.id
      union
      select u.id from inside i join user_groups g on g.id = i.id
        join users u on u.realm_id = ${reader.realm_id} and not u.is_system_bot
          and rank_of(u.role, u.date_joined, ${reader.realm.waiting_period_threshold}) <= g.max_rank
    )
    select u.id from members m join users u on u.id = m.id where u.is_active order by 1`.execute(db);
  return rows.map((row) => row.id);
}

/** Whether a user is in a group; with `direct`, only as a direct member. */
export async function isMember(
  db: Db,
  reader: User,
  group: GroupRow,
  userId: number,
  { direct }: { direct: boolean },
): Promise<boolean> {
  const { rows } = await sql<{ role: number; rank: number; is_listed: boolean; is_inside: boolean }>`
    with person as (
      select id, role, rank_of(role, date_joined, ${reader.realm.waiting_period_threshold}) as rank
      from users where realm_id = ${reader.realm_id} and id = ${userId} and is_active)
    select role, rank, in_group(id, rank, ${group.id}) as is_inside,
      exists (select from user_group_members m where m.group_id = ${group.id} and m.user_id = id) as is_listed
    from person`.execute(db);
  const [person] = rows;
  if (!person) return false;
  if (!direct) return person.is_inside;
  return group.max_rank === null ? person.is_listed : directSystemGroups(person).includes(group.max_rank);
}

/** The group's direct members. */
export async function listDirectMembers(db: Db, reader: User, group: GroupRow): Promise<number[]> {
  if (group.max_rank === null) {
    const { rows } = await sql<{ id: number }>`
      select u.id from user_group_members m join users u on u.id = m.user_id
      where m.group_id = ${group.id} and u.is_active order by 1`.execute(db);
    return rows.map((row) => row.id);
  }
  const { rows } = await sql<{ id: number; role: number; rank: number }>`
    select id, role, rank_of(role, date_joined, ${reader.realm.waiting_period_threshold}) as rank from users
    where realm_id = ${reader.realm_id} and is_active and not is_system_bot order by 1`.execute(db);
  const shown = group.max_rank;
  return rows.filter((standing) => directSystemGroups(standing).includes(shown)).map((row) => row.id);
}

/** The subgroups of a group at any depth. Those of system groups follow from their ranks. */
export async function listSubgroups(db: Db, group: GroupRow): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive ${inside(group.id)}
    select id from inside where id <> ${group.id}
    union
    select narrower.id from inside i join user_groups g on g.id = i.id
      join user_groups narrower on narrower.realm_id = g.realm_id and narrower.is_system
        and narrower.max_rank < g.max_rank and narrower.max_rank > 0
    order by 1`.execute(db);
  return rows.map((row) => row.id);
}

export async function listDirectSubgroups(db: Db, group: GroupRow): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select subgroup_id as id from user_group_subgroups where group_id = ${group.id}
    union all
    (select id from user_groups
      where realm_id = ${group.realm_id} and is_system and max_rank < ${group.max_rank}::integer and max_rank > 0
      order by max_rank desc limit 1)
    order by 1`.execute(db);
  return rows.map((row) => row.id);
}
