import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

/** The channel's topic of this name, created if there is none. Names are case-insensitive. */
export async function findOrCreateTopic(
  db: Db,
  channel: { id: number; realm_id: number },
  name: string,
): Promise<{ id: number; name: string }> {
  for (;;) {
    const { rows } = await sql<{ id: number; name: string }>`
      with made as (
        insert into topics (realm_id, channel_id, name) values (${channel.realm_id}, ${channel.id}, ${name})
        on conflict do nothing returning id, name)
      select id, name from made
      union all
      select id, name from topics
      where channel_id = ${channel.id} and lower(name) = lower(${name}) and not exists (select from made)`.execute(db);
    if (rows[0]) return rows[0];
    // Another transaction created it while this statement ran; the next one sees it.
  }
}
