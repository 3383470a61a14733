import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/db/transaction.ts";
import { contentPermissions, type Channel } from "./access.ts";

/** The users who may read a channel besides its subscribers, as terms of an audience: see access.ts. */
export interface ContentReaders {
  everyone: boolean;
  nonGuests: boolean;
  users: number[];
}

/** Where history is protected, only subscribers read new messages. */
export async function contentReaders(tx: Tx, channel: Channel): Promise<ContentReaders> {
  const none = { everyone: false, nonGuests: false, users: [] };
  if (channel.is_web_public) return { ...none, everyone: true };
  if (!channel.invite_only) return { ...none, nonGuests: true };
  if (!channel.history_public_to_subscribers) return none;
  const groups = contentPermissions.map((name) => channel[`${name}_id`]);
  const { rows } = await sql<{ user_id: number | null }>`
    with recursive inside (id) as (
      select unnest(${groups}::bigint[])
      union
      select s.subgroup_id from inside i join user_group_subgroups s on s.group_id = i.id
    )
    select m.user_id from inside i join user_group_members m on m.group_id = i.id
    union
    select u.id from inside i join user_groups g on g.id = i.id join realms r on r.id = g.realm_id
      join users u on u.realm_id = r.id and u.is_active
    where g.max_rank < ${roles.member} and rank_of(u.role, u.date_joined, r.waiting_period_threshold) <= g.max_rank
    union
    select null from inside i join user_groups g on g.id = i.id where g.max_rank >= ${roles.member}`.execute(tx);
  if (rows.some((row) => row.user_id === null)) return { ...none, nonGuests: true };
  const { rows: readers } = await sql<{ id: number }>`
    select id from users where id = any(${rows.map((row) => row.user_id)}::bigint[]) and is_active
      and role < ${roles.guest} order by id`.execute(tx);
  return { ...none, users: readers.map((row) => row.id) };
}
