import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import { metadataAccessSql, type Channel } from "../access.ts";
import { groupTables, manyReaders, metadataGroups } from "../many-readers.ts";

/** By channel, the users among these who have no access to its metadata. */
export async function listUsersWithoutAccess(
  tx: Tx,
  channels: readonly Channel[],
  userIds: readonly number[],
): Promise<Map<number, Set<number>>> {
  const isKnown = sql.raw<boolean>(metadataAccessSql({ channel: "c", subscription: "s", reader: manyReaders }));
  const { rows } = await sql<{ channel_id: number; user_ids: number[] }>`
    ${groupTables(metadataGroups(channels), userIds)}
    select c.id as channel_id, json_agg(u.id) as user_ids
    from channels c join realms r on r.id = c.realm_id
      join users u on u.realm_id = r.id and u.id = any(${userIds}::bigint[])
      left join subscriptions s on s.user_id = u.id and s.channel_id = c.id
    where c.id = any(${channels.map((channel) => channel.id)}::bigint[]) and not ${isKnown}
    group by c.id`.execute(tx);
  return new Map(rows.map((row) => [row.channel_id, new Set(row.user_ids)]));
}
