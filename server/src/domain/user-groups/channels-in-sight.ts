/**
 * Some permissions of a private channel let their holders know of it. So a change of who is in a group can make channels
 * appear and vanish: whoever makes one notes before the change who knows of the channels the group opens
 * (`noteChannelsOpenedBy`), and tells afterwards whom it concerns.
 */
import { sql } from "kysely";
import type { Tx } from "../../platform/db/transaction.ts";
import { metadataAccessSql, metadataPermissions, type Channel } from "../channels/access.ts";
import { groupTables, manyReaders, metadataGroups } from "../channels/many-readers.ts";
import { emitToGained, emitToLost } from "../channels/visibility.ts";
import { noteShownTopics } from "../user-topics/in-sight.ts";

/** Call what it gives back once the change is written. */
export async function noteChannelsOpenedBy(tx: Tx, groupId: number): Promise<() => Promise<void>> {
  const channels = await listChannelsOpenedBy(tx, await lockGroupsAround(tx, groupId));
  const [first] = channels;
  if (!first) return async () => {};
  const before = await listKnowing(tx, channels);
  const tellOfTopics = await noteShownTopics(tx, first.realm_id, { channelIds: channels.map((channel) => channel.id) });
  return async () => {
    const after = await listKnowing(tx, channels);
    for (const channel of channels) {
      const had = before.get(channel.id) ?? new Set<number>();
      const has = after.get(channel.id) ?? new Set<number>();
      const gained = [...has.difference(had)];
      if (gained.length > 0) await emitToGained(tx, channel, gained);
      emitToLost(tx, channel, [...had.difference(has)]);
    }
    await tellOfTopics();
  };
}

/**
 * The group and all that hold it, however far. Who sets a permission to one of them waits until this transaction ends,
 * so that either that change or this one knows of the other.
 */
async function lockGroupsAround(tx: Tx, groupId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive around (id) as (
      select ${groupId}::bigint
      union
      select s.group_id from around a join user_group_subgroups s on s.subgroup_id = a.id
    )
    select id from user_groups where id in (select id from around) order by id for no key update`.execute(tx);
  return rows.map((row) => row.id);
}

/** Private channels whose metadata one of the groups opens. */
async function listChannelsOpenedBy(tx: Tx, groupIds: readonly number[]): Promise<Channel[]> {
  const opening = sql.raw(metadataPermissions.map((name) => `c.${name}_id`).join(", "));
  const { rows } = await sql<Channel>`
    select c.* from channels c
    where c.realm_id in (select realm_id from user_groups where id = any(${groupIds}::bigint[]))
      and c.invite_only and not c.is_archived and array[${opening}] && ${groupIds}::bigint[]
    order by c.id`.execute(tx);
  return rows;
}

/** By channel, those who know of it without being subscribed. */
async function listKnowing(tx: Tx, channels: readonly Channel[]): Promise<Map<number, Set<number>>> {
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
