import type { ReactionType, UserStatus } from "@skein/api/status.ts";
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

interface StatusRow {
  user_id: number;
  is_bot: boolean;
  status_text: string | null;
  emoji_name: string | null;
  emoji_code: string | null;
  reaction_type: ReactionType | null;
  is_hiding: boolean;
}

const columns = sql`
  u.id as user_id, u.is_bot, s.status_text, s.emoji_name, s.emoji_code, s.reaction_type,
  (u.settings ->> 'presence_enabled' = 'false') is true as is_hiding`;

/** The statuses of all users in an organization who have one. */
export async function listStatuses(db: Db, realmId: number): Promise<StatusRow[]> {
  const { rows } = await sql<StatusRow>`
    select ${columns}
    from (
      select user_id from user_statuses where realm_id = ${realmId}
      union
      select id from users where realm_id = ${realmId} and settings ->> 'presence_enabled' = 'false'
    ) as holders join users u on u.id = holders.user_id left join user_statuses s on s.user_id = u.id
    order by u.id`.execute(db);
  return rows;
}

export async function findStatus(db: Db, userId: number): Promise<UserStatus> {
  const { rows } = await sql<StatusRow>`
    select ${columns} from users u left join user_statuses s on s.user_id = u.id where u.id = ${userId}`.execute(db);
  return rows[0] ? toUserStatus(rows[0]) : {};
}

/** Contains only the fields that are set. */
export const toUserStatus = ({
  status_text,
  emoji_name,
  emoji_code,
  reaction_type,
  is_hiding,
}: StatusRow): UserStatus => ({
  ...(status_text ? { status_text } : {}),
  ...(emoji_name && emoji_code && reaction_type ? { emoji_name, emoji_code, reaction_type } : {}),
  ...(is_hiding ? { away: true } : {}),
});
