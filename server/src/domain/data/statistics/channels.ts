/** What an operator sees of the channels of an organization. */
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

export interface ListedChannel {
  id: number;
  name: string;
  privacy: "web-public" | "public" | "private";
  is_archived: boolean;
  date_created: Date;
  subscribers: number;
  /** Null: as the organization. */
  message_retention_days: number | null;
  newest_message_at: Date | null;
}

export async function listChannels(
  db: Db,
  realmId: number,
  { isArchived }: { isArchived: boolean },
): Promise<ListedChannel[]> {
  const { rows } = await sql<ListedChannel>`
    select c.id, c.name, c.is_archived, c.date_created, c.message_retention_days,
      case when c.is_web_public then 'web-public' when c.invite_only then 'private' else 'public' end as privacy,
      (select count(*) from subscriptions s join users u on u.id = s.user_id and u.is_active
        where s.channel_id = c.id and s.active) as subscribers,
      (select m.date_sent from messages m where m.conversation_id = c.id order by m.id desc limit 1) as newest_message_at
    from channels c where c.realm_id = ${realmId} and c.is_archived = ${isArchived} order by lower(c.name)`.execute(db);
  return rows;
}
