/**
 * Some permissions of a private channel make it visible to their holders. So a change of group membership can make channels
 * appear or disappear: `noteChannelsOpenedBy` records who can see the group's channels before the change, and the function
 * it returns emits the differences afterwards.
 */
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import { metadataAccessSql, metadataPermissions, type Channel } from "../../channels/access.ts";
import { groupTables, manyReaders, metadataGroups } from "../../channels/many-readers.ts";
import { emitToGained, emitToLost } from "../../channels/visibility.ts";
import { noteShownTopics } from "../../channels/user-topics/shown-topics.ts";

/** Call the returned function after the change is written. */
export async function noteChannelsOpenedBy(tx: Tx, groupId: number): Promise<() => Promise<void>> {
  const channels = await listChannelsOpenedBy(tx, await lockContainingGroups(tx, groupId));
  const [first] = channels;
  if (!first) return async () => {};
  const before = await listUsersKnowing(tx, channels);
  const emitTopicChanges = await noteShownTopics(tx, first.realm_id, {
    channelIds: channels.map((channel) => channel.id),
  });
  return async () => {
    const after = await listUsersKnowing(tx, channels);
    for (const channel of channels) {
      const had = before.get(channel.id) ?? new Set<number>();
      const has = after.get(channel.id) ?? new Set<number>();
      const gained = [...has.difference(had)];
      if (gained.length > 0) await emitToGained(tx, channel, gained);
      emitToLost(tx, channel, [...had.difference(has)]);
    }
    await emitTopicChanges();
  };
}

/**
 * The group and all groups that contain it, directly or not. The lock makes concurrent changes of permissions to one of
 * these groups wait, so that each change sees the other.
 */
async function lockContainingGroups(tx: Tx, groupId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive around (id) as (
      select ${groupId}::bigint
      union
      select s.group_id from around a join user_group_subgroups s on s.subgroup_id = a.id
    )
    select id from user_groups where id in (select id from around) order by id for no key update`.execute(tx);
  return rows.map((row) => row.id);
}

/** Private channels whose metadata is visible to members of one of the groups. */
async function listChannelsOpenedBy(tx: Tx, groupIds: readonly number[]): Promise<Channel[]> {
  const opening = sql.raw(metadataPermissions.map((name) => `c.${name}_id`).join(", "));
  const { rows } = await sql<Channel>`
    select c.* from channels c
    where c.realm_id in (select realm_id from user_groups where id = any(${groupIds}::bigint[]))
      and c.invite_only and not c.is_archived and array[${opening}] && ${groupIds}::bigint[]
    order by c.id`.execute(tx);
  return rows;
}

/** By channel, the users who can see it without being subscribed. */
async function listUsersKnowing(tx: Tx, channels: readonly Channel[]): Promise<Map<number, Set<number>>> {
  const isKnown = sql.raw<boolean>(metadataAccessSql({ channel: "c", subscription: "s", reader: manyReaders }));
  const { rows } = await sql<{ channel_id: number; user_ids: number[] }>`
    ${groupTables(metadataGroups(channels))}
    select c.id as channel_id, array_agg(u.id order by u.id) as user_ids
    from channels c join realms r on r.id = c.realm_id
      join users u on u.realm_id = r.id and u.is_active and not u.is_system_bot
      left join subscriptions s on s.user_id = u.id and s.channel_id = c.id
    where c.id = any(${channels.map((channel) => channel.id)}::bigint[]) and s.active is not true and ${isKnown}
    group by c.id`.execute(tx);
  return new Map(rows.map((row) => [row.channel_id, new Set(row.user_ids)]));
}
