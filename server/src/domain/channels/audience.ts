/**
 * The audience of events about a channel: the users with access to its metadata (see access.ts), as the few terms of an
 * audience. Unsubscribed guests are left out, except for web-public channels. Holders of permissions that no term covers
 * are listed by id.
 */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { Audience } from "../../events/audience.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { inChunks } from "../base/chunks.ts";
import { metadataPermissions, type Channel } from "./access.ts";

/** The audiences of one event, which do not overlap: all but the first only list user ids. */
export type Audiences = [Audience, ...Audience[]];

/**
 * For each channel, the users with access to its metadata. `at` is a current message id, needed when there are
 * subscribers (see Audience).
 */
export async function metadataAudiences(
  tx: Tx,
  channels: readonly Channel[],
  at?: number,
): Promise<(channel: Channel) => Audiences> {
  const privateIds = channels.filter((channel) => channel.invite_only).map((channel) => channel.id);
  const holders = privateIds.length > 0 ? await listHolders(tx, privateIds) : new Map<number, Holders>();
  return (channel) => {
    const subscribers = at === undefined ? {} : { channel: { id: channel.id, at } };
    if (channel.is_web_public) return [{ everyone: true }];
    if (!channel.invite_only) return [{ nonGuests: true, ...subscribers }];
    const { all, subscribed, others } = holders.get(channel.id) ?? nobody;
    if (all) return [{ nonGuests: true, ...subscribers }];
    const [first = [], ...rest] = inChunks(others);
    return [
      { administrators: true, users: [...subscribed, ...first], ...subscribers },
      ...rest.map((users) => ({ users })),
    ];
  };
}

interface Holders {
  /** Everyone except guests. */
  all: boolean;
  subscribed: number[];
  others: number[];
}

const nobody: Holders = { all: false, subscribed: [], others: [] };

/** Leaves out administrators, who have their own term, and guests, who hold no permission that opens a private channel. */
async function listHolders(tx: Tx, channelIds: readonly number[]): Promise<Map<number, Holders>> {
  const groups = sql.raw(metadataPermissions.map((name) => `c.${name}_id`).join(", "));
  const { rows } = await sql<{ channel_id: number; user_id: number | null; subscribed: boolean }>`
    with recursive inside (channel_id, group_id) as (
      select c.id, g.id from channels c cross join unnest(array[${groups}]) as g (id)
      where c.id = any(${channelIds}::bigint[])
      union
      select i.channel_id, s.subgroup_id from inside i join user_group_subgroups s on s.group_id = i.group_id
    ),
    holders (channel_id, user_id) as (
      select i.channel_id, m.user_id
      from inside i join user_group_members m on m.group_id = i.group_id join users u on u.id = m.user_id
      where u.is_active and u.role > ${roles.administrator} and u.role < ${roles.guest}
      union
      select i.channel_id, u.id
      from inside i join user_groups g on g.id = i.group_id
        join realms r on r.id = g.realm_id join users u on u.realm_id = r.id
      where g.max_rank > ${roles.administrator} and g.max_rank < ${roles.member}
        and u.is_active and u.role > ${roles.administrator} and u.role < ${roles.guest}
        and rank_of(u.role, u.date_joined, r.waiting_period_threshold) <= g.max_rank
      union
      select i.channel_id, null from inside i join user_groups g on g.id = i.group_id
      where g.max_rank >= ${roles.member}
    )
    select h.channel_id, h.user_id, coalesce(s.active, false) as subscribed
    from holders h left join subscriptions s on s.user_id = h.user_id and s.channel_id = h.channel_id
    order by h.channel_id, h.user_id`.execute(tx);
  const holders = new Map<number, Holders>();
  for (const { channel_id, user_id, subscribed } of rows) {
    const known = holders.get(channel_id) ?? { all: false, subscribed: [], others: [] };
    holders.set(channel_id, known);
    if (user_id === null) known.all = true;
    else (subscribed ? known.subscribed : known.others).push(user_id);
  }
  return holders;
}
