/** Applies the rule of access.ts to many channels for one user: the user's groups are found once, not for each channel. */
import { sql, type RawBuilder } from "kysely";
import type { User } from "../../identity/account.ts";
import { contentAccessSql, metadataAccessSql, type ChannelSql } from "./access.ts";

type Reader = Pick<User, "id" | "rank" | "realm_id">;

/** `with recursive …`: the groups that the user is in, by rank or by membership however deep. */
export const heldGroups = ({ id, rank, realm_id }: Reader): RawBuilder<unknown> => sql`
  with recursive held_groups (id) as (
    select id from user_groups where realm_id = ${realm_id} and max_rank >= ${rank}
    union
    select group_id from user_group_members where user_id = ${id}
    union
    select s.group_id from held_groups h join user_group_subgroups s on s.subgroup_id = h.id
  )`;

/** Both conditions are for a statement that begins with `heldGroups` and has channels as `c`, and the user's subscriptions as `s`. */
export const mayRead = (user: Reader): RawBuilder<boolean> => sql.raw(contentAccessSql(aliases(user)));
export const mayKnowOf = (user: Reader): RawBuilder<boolean> => sql.raw(metadataAccessSql(aliases(user)));

/** The numbers are from our database, so they are safe in SQL text. */
const aliases = ({ id, rank }: Reader): ChannelSql => ({
  channel: "c",
  subscription: "s",
  reader: { id: String(id), rank: String(rank), inGroup: (group) => `${group} in (select id from held_groups)` },
});
