/** Applies the rule of access.ts to many channels for one user: the user's groups are found once, not for each channel. */
import { sql, type RawBuilder } from "kysely";
import type { User } from "../../identity/account.ts";
import { contentAccessSql, metadataAccessSql, type ChannelSql } from "./access.ts";

type Reader = Pick<User, "id" | "rank" | "realm_id">;

/** `with recursive …`: the user, and the groups that the user is in, by rank or by membership however deep. */
export const heldGroups = ({ id, rank, realm_id }: Reader): RawBuilder<unknown> => sql`
  with recursive reader (id, rank) as (select ${id}::bigint, ${rank}::int), held_groups (id) as (
    select id from user_groups where realm_id = ${realm_id} and max_rank >= (select rank from reader)
    union
    select group_id from user_group_members where user_id = (select id from reader)
    union
    select s.group_id from held_groups h join user_group_subgroups s on s.subgroup_id = h.id
  )`;

/** The same for a reader of whom only these are known. */
export const givenGroups = (rank: number, groups: readonly number[]): RawBuilder<unknown> => sql`
  with reader (id, rank) as (select null::bigint, ${rank}::int), held_groups (id) as (select unnest(${groups}::bigint[]))`;

/** Both conditions are for a statement that begins with one of these and has channels as `c`, and the user's subscriptions as `s`. */
const aliases: ChannelSql = {
  channel: "c",
  subscription: "s",
  // Not the numbers themselves: the text is the same for all users, so that its plan can be kept.
  reader: {
    id: "(select id from reader)",
    rank: "(select rank from reader)",
    inGroup: (group) => `${group} in (select id from held_groups)`,
  },
};

export const mayRead: RawBuilder<boolean> = sql.raw(contentAccessSql(aliases));
export const mayKnowOf: RawBuilder<boolean> = sql.raw(metadataAccessSql(aliases));
