import type { DefaultChannelGroup } from "@skein/api/default-channels.ts";
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { Channel } from "../access.ts";

/** The channels that new users are subscribed to. */
export const listDefaultChannels = (db: Db, realmId: number): Promise<Channel[]> =>
  db
    .selectFrom("channels")
    .selectAll()
    .where("realm_id", "=", realmId)
    .where("is_default", "=", true)
    .where("is_archived", "=", false)
    .orderBy("id")
    .execute();

/** The channel groups that new users can choose from, as clients see them. */
export async function listDefaultChannelGroups(db: Db, realmId: number): Promise<DefaultChannelGroup[]> {
  const { rows } = await sql<DefaultChannelGroup>`
    select g.id, g.name, g.description,
      array(select c.channel_id from default_channel_group_channels c where c.group_id = g.id order by 1) as streams
    from default_channel_groups g where g.realm_id = ${realmId} order by g.id`.execute(db);
  return rows;
}
